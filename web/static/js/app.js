// What scripts add to every page of a dashboard. Each page works without them.

import { setUpCopying } from "./copy.js";
import { byId } from "./page.js";

const second = 1000;
const steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// relate tells times as "5 minutes ago", by the server's clock; the hint of each has the time.
function relate() {
  const now = Date.parse(document.body.dataset.now);
  if (Number.isNaN(now) || typeof Intl.RelativeTimeFormat !== "function") return;
  const began = performance.now();
  const [format, short] = ["long", "short"].map((style) => new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto", style }));
  const update = () => {
    for (const element of document.querySelectorAll("time[datetime]:not(.exact)")) {
      const ago = (Date.parse(element.dateTime) - now - (performance.now() - began)) / second;
      const [unit, size] = steps.find(([, length]) => Math.abs(ago) >= length - 30) || steps[3]; // 6.99 days are 7
      if (Math.abs(ago) < 30 * 86400) element.textContent = (element.className === "short" ? short : format).format(Math.round(ago / size), unit);
    }
  };
  update();
  setInterval(update, 30 * second);
  document.addEventListener("content", update);
}

// Menus close when something else is clicked, and by Escape.
function setUpMenus() {
  const close = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(except)) menu.open = false;
  };
  document.addEventListener("click", (event) => close(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement && document.activeElement.closest("details.menu[open]");
    close(null);
    if (menu) menu.querySelector("summary").focus();
    if (location.hash === "#side") location.hash = "#main";
  });
}

// Links to a dialog open it as one, with the focus in it; without scripts they show it by its address.
function setUpDialogs() {
  for (const link of document.querySelectorAll("a[data-dialog]")) {
    const dialog = byId(link.hash.slice(1));
    if (!dialog || !dialog.showModal) continue;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.showModal();
    });
    for (const cancel of dialog.querySelectorAll("a[data-cancel]")) {
      cancel.addEventListener("click", (event) => {
        event.preventDefault();
        dialog.close();
      });
    }
  }
}

// Forms that say so are sent once: another press while the answer is on its way does nothing.
function setUpSending() {
  for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.once) event.preventDefault();
      else setTimeout(() => { form.dataset.once = ""; }, 10 * second);
      form.dataset.once = "sent";
    });
  }
}

// Charts say the numbers of the day under the pointer, or of the one that the arrow keys have reached.
function setUpCharts() {
  for (const drawing of document.querySelectorAll(".chart .drawing")) {
    const days = [...drawing.querySelectorAll(".day")];
    const text = byId(drawing.getAttribute("aria-describedby"));
    let current = days.length;
    const show = (index) => {
      if (!days[index]) return;
      if (days[current]) days[current].classList.remove("current");
      current = index;
      days[index].classList.add("current");
      text.textContent = days[index].firstChild.textContent;
    };
    text.hidden = false;
    drawing.addEventListener("pointerover", (event) => show(days.indexOf(event.target.closest(".day"))));
    drawing.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(current + step);
    });
  }
}

const unsent = document.querySelector("[data-address]"); // the page has been shown by a form
if (unsent) history.replaceState(null, "", unsent.dataset.address);
for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
setUpCharts();
setUpCopying(() => {});
setUpMenus();
setUpDialogs();
setUpSending();
relate();
