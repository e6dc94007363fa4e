// Keeps parts of a page fresh while it is looked at: those that name themselves by data-live. Where one names a stream of
// changes, the page is read again after each, and otherwise every few seconds. Without it a person reloads.

const second = 1000;
const pause = 4 * second;
const raw = new Map();
const live = document.querySelector("[data-live]");
const button = document.querySelector("button[data-pause]");
let source = null;
let changed = true;
let paused = false;

// busy says whether replacing a part would disturb who uses it.
function busy(part) {
  const selection = getSelection();
  return part.contains(document.activeElement) || (selection && !selection.isCollapsed && part.contains(selection.anchorNode)) || part.querySelector("details[open]");
}

// refresh reads the page again, and shows the parts that have changed.
async function refresh() {
  changed = false;
  const answer = await fetch(location.href, { credentials: "same-origin", headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected || paused) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || raw.get(part.id) === fresh.innerHTML) continue;
    if (busy(part)) changed = true;
    else {
      raw.set(part.id, fresh.innerHTML);
      part.replaceChildren(...fresh.childNodes);
      document.dispatchEvent(new Event("content"));
    }
  }
}

// follow listens to the stream while the page is looked at.
function follow() {
  if (source) source.close();
  source = live.dataset.events && !paused && !document.hidden ? new EventSource(live.dataset.events) : null;
  const opened = source;
  if (opened) opened.addEventListener("replaced", () => opened.close()); // another page has its place, so this one polls
  for (const name of ["open", "change"]) if (source) source.addEventListener(name, () => { changed = true; });
}

// next waits, reads, and goes on whatever came of it. A stream that was refused reports nothing.
function next() {
  const listens = source && source.readyState !== EventSource.CLOSED;
  setTimeout(() => (paused || document.hidden || (listens && !changed) ? Promise.resolve() : refresh()).catch(() => {}).then(next), listens ? second : pause);
}

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    paused = !paused;
    for (const state of button.children) state.hidden = !state.hidden;
    follow();
  });
}
document.addEventListener("visibilitychange", follow);
if (live) {
  follow();
  next();
}
