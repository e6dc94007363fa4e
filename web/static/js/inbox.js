// The inbox while people write: it asks for the revision every few seconds and shows what has changed, and an open
// conversation is read. Without it a link loads the page again, and a button marks as read.

import { byId } from "./page.js";

const second = 1000;
const pause = 4 * second;
const longestPause = 60 * second;
const inbox = byId("inbox");
let wait = pause;
let timer = 0;

// merge makes a list like a fresh one, and touches only what differs: a screen reader reads only what is new.
function merge(old, fresh) {
  for (const item of [...old.children]) if (!fresh.querySelector(`[id="${CSS.escape(item.id)}"]`)) item.remove();
  let before = old.firstElementChild;
  for (const item of [...fresh.children]) {
    const there = byId(item.id);
    if (there && there === before) before = before.nextElementSibling;
    if (!there) old.insertBefore(item, before);
    else if (said(there) !== said(item)) there.replaceWith(item);
  }
}

// said is what an element shows, with its times as they are in the markup: scripts write them anew.
function said(element) {
  const copy = element.cloneNode(true);
  for (const time of copy.querySelectorAll("time")) time.replaceWith(time.dateTime);
  return copy.innerHTML;
}

// swap replaces what is in an element, and keeps the focus on the link that has it.
function swap(old, fresh) {
  if (!old || !fresh || said(old) === said(fresh)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  old.replaceChildren(...fresh.childNodes);
  const again = focused && old.querySelector(`a[href="${CSS.escape(focused)}"]`);
  if (again) again.focus();
}

// refresh shows the page as it is now.
async function refresh() {
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("inbox");
  if (!fresh) throw new Error("no inbox"); // the session or the plan has ended
  inbox.dataset.revision = fresh.dataset.revision;
  swap(byId("conversations"), page.getElementById("conversations"));
  swap(document.querySelector(".nav"), page.querySelector(".nav"));
  const head = byId("thread-head");
  if (head) {
    const freshHead = page.getElementById("thread-head");
    swap(head, freshHead);
    if (freshHead.dataset.read) head.dataset.read = freshHead.dataset.read;
    else delete head.dataset.read;
    merge(byId("messages"), page.getElementById("messages"));
  }
  document.dispatchEvent(new Event("content"));
}

// markRead marks the open conversation as read, while somebody looks at it.
async function markRead() {
  const head = byId("thread-head");
  if (!head || !head.dataset.read || document.visibilityState !== "visible") return false;
  await fetch(head.dataset.read, { method: "POST", credentials: "same-origin", redirect: "manual" });
  return true;
}

async function look() {
  clearTimeout(timer);
  if (document.visibilityState !== "visible") return; // it looks again when somebody does
  try {
    const answer = await fetch(inbox.dataset.revisionUrl, { credentials: "same-origin", headers: { Accept: "application/json" } });
    if (answer.status === 401 || answer.status === 403) return; // signed out, or another plan: the next page says so
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    if (state.saturated || state.revision !== inbox.dataset.revision) await refresh();
    if (await markRead()) await refresh();
    wait = pause;
  } catch (error) {
    wait = Math.min(2 * wait, longestPause); // the network, or a service that restarts
  }
  timer = setTimeout(look, wait);
}

byId("reload").hidden = true;
document.addEventListener("visibilitychange", look);
const reply = byId("reply");
if (reply) {
  reply.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) reply.requestSubmit();
  });
}
look();
