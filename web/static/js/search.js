// Search while typing, in a list that is whole in its page. Without this script the form asks the server, which finds the same.

import { byId, setText, show } from "./page.js";

const field = byId("q");
const items = Array.from(document.querySelectorAll("[data-item]"), (element) => ({ element, words: wordsOf(element) }));
const sections = Array.from(document.querySelectorAll("[data-section]"));

function wordsOf(element) {
  const words = element.dataset.words || Array.from(element.querySelectorAll("[data-find]"), (part) => part.textContent).join(" ");
  return words.toLowerCase();
}

function search() {
  const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const item of items) {
    const matches = wanted.every((word) => item.words.includes(word));
    show(item.element, matches);
    if (matches) found++;
  }
  for (const section of sections) show(section, section.querySelector("[data-item]:not([hidden])") !== null);
  show(byId("nothing"), found === 0);
  setText(byId("found"), String(found));
  const address = new URL(location.href);
  if (field.value) address.searchParams.set("q", field.value);
  else address.searchParams.delete("q");
  history.replaceState(null, "", address);
}

field.addEventListener("input", search);
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
