// The waiting page: shows the words, asks whether the message has come, and takes the person back to the application.

import { byId, say, show, text } from "./page.js";
import { onLate, setClock, stopClock } from "./waiting/clock.js";
import { isSafe } from "./waiting/links.js";
import { Poll } from "./waiting/poll.js";
import { showSandbox } from "./waiting/sandbox.js";
import { Stream } from "./waiting/stream.js";
import { WhatsApp } from "./waiting/whatsapp.js";

const loginKeyId = new URLSearchParams(location.search).get("loginKeyId") || "";
const poll = new Poll(`/authorize/status?loginKeyId=${encodeURIComponent(loginKeyId)}`, answered, failed);
const stream = new Stream(`/authorize/events?loginKeyId=${encodeURIComponent(loginKeyId)}`, (status) => poll.take(status));
const whatsapp = new WhatsApp(loginKeyId, clickFailed);
const order = ["PENDING", "ACTIVATED", "VERIFIED", "CONSUMED", "EXPIRED"];
const ends = ["second_phone", "person", "wrong_codes", "client"]; // others than time
const views = ["open", "verified", "consumed", "expired", "gone"];
let leaving = false;
let statusKey = "loading";
let reached = 0; // of order: an answer that was overtaken is no news

function view(name) {
  const login = byId("login");
  if (login.dataset.view === name) return;
  login.dataset.view = name;
  for (const other of views) show(byId(`view-${other}`), other === name);
  problem("");
  if (name === "open") return;
  stopClock();
  login.classList.remove("with-qr");
  const heading = byId(`view-${name}`).querySelector("h2");
  say(byId("status"), heading.textContent);
  heading.focus({ preventScroll: true }); // what had the focus is hidden now
}

function problem(words) {
  say(byId("problem"), words);
  show(byId("problem"), words !== "");
}

function answered(status) {
  if (order.indexOf(status.status) < reached) return;
  reached = order.indexOf(status.status);
  if (status.tenantName) say(byId("tenant"), status.tenantName);
  show(byId("test-tag"), status.mode === "TEST");
  switch (status.status) {
    case "VERIFIED":
      return verified(status);
    case "CONSUMED":
      stop();
      return view("consumed");
    case "EXPIRED":
      stop();
      link(byId("back"), status.redirectUrl);
      if (ends.includes(status.endedBy)) {
        say(byId("ended"), text(status.endedBy));
        say(byId("ended-more"), text(`${status.endedBy}_more`));
      }
      return view("expired");
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
  view("open");
  showWords(status.matchingWords);
  if (status.mode === "TEST") showSandbox(loginKeyId, () => poll.now(), clickFailed);
  else whatsapp.show(status);
  statusKey = status.mode === "TEST" ? "sandbox" : status.status;
  setClock(status.expiresAt, status.serverTime);
}

function verified(status) {
  const known = link(byId("continue"), status.redirectUrl);
  view("verified");
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

// The countdown itself is not read aloud every second; that it comes to its end is said once.
onLate((seconds) => {
  if (byId("login").dataset.view !== "open" || poll.failures) return;
  say(byId("status"), text(seconds <= 30 ? "half" : statusKey));
});

function ended(error) {
  return [400, 401, 403].includes(error.status);
}

function failed(error) {
  if (ended(error)) return gone();
  say(byId("status"), text("retrying"));
}

function clickFailed(error) {
  if (!error) return problem(text("no_receiver"));
  if (error.status === 400) return poll.now(); // the login has moved on: the status says where to
  if (ended(error)) return gone();
  problem(text(error.status === 429 ? "busy" : "failed"));
}

function gone() {
  stop();
  view("gone");
}

byId("view-open").addEventListener("click", () => problem(""));

if (loginKeyId) {
  say(byId("status"), text("loading"));
  poll.now();
} else {
  gone();
}
