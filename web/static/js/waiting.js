// The waiting page: it shows the words, polls until the message has come, and redirects to the application.

import { byId, setText, show, text } from "./page.js";
import { onTick, setClock, stopClock } from "./waiting/clock.js";
import { isSafe } from "./waiting/links.js";
import { Poll } from "./waiting/poll.js";
import { showSandbox } from "./waiting/sandbox.js";
import { Stream } from "./waiting/stream.js";
import { WhatsApp } from "./waiting/whatsapp.js";

const loginKeyId = new URLSearchParams(location.search).get("loginKeyId") || "";
const poll = new Poll(`/authorize/status?loginKeyId=${encodeURIComponent(loginKeyId)}`, answered, failed);
const stream = new Stream(`/authorize/events?loginKeyId=${encodeURIComponent(loginKeyId)}`, (status) => poll.accept(status));
const whatsapp = new WhatsApp(loginKeyId, clickFailed);
const order = ["PENDING", "ACTIVATED", "VERIFIED", "CONSUMED", "EXPIRED"];
const endReasons = ["second_phone", "person", "wrong_codes", "client"]; // others than time
const views = ["open", "verified", "consumed", "expired", "gone"];
let leaving = false;
let statusKey = "loading";
let reached = 0; // index in order; an answer with an earlier status is late, and is ignored

function showView(name) {
  const login = byId("login");
  if (login.dataset.view === name) return;
  login.dataset.view = name;
  for (const other of views) show(byId(`view-${other}`), other === name);
  showProblem("");
  if (name === "open") return;
  stopClock();
  login.classList.remove("with-qr");
  const heading = byId(`view-${name}`).querySelector("h2");
  setText(byId("status"), heading.textContent);
  heading.focus({ preventScroll: true }); // what had the focus is hidden now
}

function showProblem(words) {
  setText(byId("problem"), words);
  show(byId("problem"), words !== "");
}

function answered(status) {
  if (order.indexOf(status.status) < reached) return;
  reached = order.indexOf(status.status);
  if (status.tenantName) setText(byId("tenant"), status.tenantName);
  show(byId("test-tag"), status.mode === "TEST");
  switch (status.status) {
    case "VERIFIED":
      return verified(status);
    case "CONSUMED":
      stop();
      return showView("consumed");
    case "EXPIRED":
      stop();
      link(byId("back"), status.redirectUrl);
      if (endReasons.includes(status.endedBy)) {
        setText(byId("ended"), text(status.endedBy));
        setText(byId("ended-more"), text(`${status.endedBy}_more`));
      }
      return showView("expired");
    default:
      return open(status);
  }
}

function stop() {
  poll.stop();
  stream.stop();
}

function open(status) {
  stream.open();
  showView("open");
  showWords(status.matchingWords);
  if (status.mode === "TEST") showSandbox(loginKeyId, () => poll.now(), clickFailed);
  else whatsapp.show(status);
  statusKey = status.mode === "TEST" ? "sandbox" : status.status;
  setClock(status.expiresAt, status.serverTime);
}

function verified(status) {
  const known = link(byId("continue"), status.redirectUrl);
  showView("verified");
  if (known && !leaving) {
    leaving = true;
    location.replace(status.redirectUrl);
  }
}

function link(anchor, address) {
  const safe = Boolean(address) && isSafe(address);
  if (safe) anchor.href = address;
  show(anchor, safe);
  return safe;
}

function showWords(words) {
  const element = byId("words");
  if (element.textContent === words) return;
  element.replaceChildren(...words.split(" ").flatMap((word, i) => {
    const span = document.createElement("span");
    span.textContent = word;
    return i ? [" ", span] : [span];
  }));
}

// Screen readers don't read the countdown every second; they are told once that half a minute is left.
onTick((seconds) => {
  if (byId("login").dataset.view !== "open" || poll.failures) return;
  setText(byId("status"), text(seconds <= 30 ? "half" : statusKey));
});

function ended(error) {
  return [400, 401, 403].includes(error.status);
}

function failed(error) {
  if (ended(error)) return gone();
  setText(byId("status"), text("retrying"));
}

function clickFailed(error) {
  if (!error) return showProblem(text("no_receiver"));
  if (error.status === 400) return poll.now(); // the status has changed meanwhile
  if (ended(error)) return gone();
  showProblem(text(error.status === 429 ? "busy" : "failed"));
}

function gone() {
  stop();
  showView("gone");
}

byId("view-open").addEventListener("click", () => showProblem(""));

if (loginKeyId) {
  setText(byId("status"), text("loading"));
  poll.now();
} else {
  gone();
}
