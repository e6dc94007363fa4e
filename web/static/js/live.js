// Keeps parts of a page fresh while it is looked at: those that name themselves by data-live. Without it a person reloads.

const pause = 4000;
const raw = new Map();

// busy says whether replacing a part would disturb who uses it.
function busy(part) {
  const selection = getSelection();
  return part.contains(document.activeElement) || (selection && !selection.isCollapsed && part.contains(selection.anchorNode)) || part.querySelector("details[open]");
}

// refresh reads the page again, and shows the parts that have changed.
async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { credentials: "same-origin", headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || raw.get(part.id) === fresh.innerHTML || busy(part)) continue;
    raw.set(part.id, fresh.innerHTML);
    part.replaceChildren(...fresh.childNodes);
    document.dispatchEvent(new Event("content"));
  }
}

// next waits, reads, and goes on whatever came of it.
function next() {
  setTimeout(() => refresh().catch(() => {}).then(next), pause);
}

if (document.querySelector("[data-live]")) next();
