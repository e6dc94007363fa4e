// The page that links a number: it shows each new code as it comes, and how it ends. Without it the page loads itself again.

import { byId } from "./page.js";

const pause = 5000;
let source = null;
let replaced = false;

// refresh shows the page as it is now. Where it leads elsewhere, to give another code for instance, so does this one.
async function refresh() {
  const answer = await fetch(location.href, { credentials: "same-origin", headers: { Accept: "text/html" } });
  if (answer.redirected) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("pairing");
  if (!fresh) return location.reload();
  byId("pairing").replaceWith(document.adoptNode(fresh));
  document.dispatchEvent(new Event("content"));
  follow();
}

// shown reports whether an event says what the page shows already, as far as that can be said without keeping the code.
function shown(now) {
  const { state, expires } = byId("pairing").dataset;
  return now.state === state && (expires ? (now.expiresAt || "").slice(0, 19) === expires.slice(0, 19) : state !== "waiting");
}

// later tries again where the network or the service fails.
const later = () => setTimeout(() => refresh().catch(later), pause);

// follow listens while a pairing is under way.
function follow() {
  const path = byId("pairing").dataset.events;
  if (!path && source) {
    source.close();
    source = null;
  }
  if (!path || source) return;
  if (replaced) return later();
  source = new EventSource(path);
  source.addEventListener("pairing", (event) => {
    if (!shown(JSON.parse(event.data))) refresh().catch(later);
  });
  source.addEventListener("replaced", () => { // another page has its place, so this one polls
    source.close();
    source = null;
    replaced = true;
    later();
  });
  source.addEventListener("error", () => {
    if (source && source.readyState === EventSource.CLOSED) { // it was refused: the session has ended, or its code is too old
      source = null;
      later();
    }
  });
}

follow();
