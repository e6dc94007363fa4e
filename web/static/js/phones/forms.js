// What WhatsApp shows around a text: a header, a footer, and what can be pressed.

import { setText, show, text } from "../page.js";

// drawForms fills a bubble; what is chosen is sent back with its id and its title, as it is on a telephone.
export function drawForms(find, { interactive, template, numberRequest }, onChoose, onShare) {
  if (template) {
    setText(find("bubble-template"), `${text("template")} ${template.name} (${template.language})`);
    show(find("bubble-template"));
  }
  if (numberRequest) {
    find("bubble-choices").append(button({ title: text("share_number") }, onShare));
    show(find("bubble-choices"));
  }
  if (!interactive) return;
  for (const name of ["header", "footer"]) {
    setText(find(`bubble-${name}`), interactive[name] || "");
    show(find(`bubble-${name}`), Boolean(interactive[name]));
  }
  const choices = find("bubble-choices");
  for (const choice of interactive.buttons || []) choices.append(button(choice, onChoose));
  if (interactive.list) choices.append(menu(interactive.list, onChoose));
  if (interactive.link && /^https?:\/\//i.test(interactive.link.url)) choices.append(link(interactive.link));
  show(choices);
}

function button({ id, title, description }, onChoose) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "chip choice";
  setText(made, title);
  if (description) {
    const more = document.createElement("span");
    more.className = "soft small";
    setText(more, description);
    made.append(" ", more);
  }
  made.addEventListener("click", () => onChoose({ id, title }));
  return made;
}

function menu({ button: name, sections }, onChoose) {
  const made = document.createElement("details");
  const summary = document.createElement("summary");
  setText(summary, name);
  made.append(summary);
  for (const section of sections) {
    const title = document.createElement("p");
    title.className = "soft small";
    setText(title, section.title || "");
    show(title, Boolean(section.title));
    made.append(title, ...section.rows.map((row) => button(row, onChoose)));
  }
  return made;
}

function link({ title, url }) {
  const made = document.createElement("a");
  made.className = "chip choice";
  made.href = url;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  setText(made, title);
  return made;
}
