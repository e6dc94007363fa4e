// The waiting page: it shows the words, polls until the message has come, and redirects to the application.

import { call } from "./call.js";
import { setUpCopying } from "./copy.js";
import { busy, byId, isSafe, setText, show, text } from "./page.js";
import { onTick, setClock, stopClock } from "./waiting/clock.js";
import { Poll, Stream, Turn, cookiesWork } from "./waiting/poll.js";

const loginKeyId = new URLSearchParams(location.search).get("loginKeyId") || "";
const query = `?loginKeyId=${encodeURIComponent(loginKeyId)}`;
const poll = new Poll(`/authorize/status${query}`, answered, failed);
const stream = new Stream(`/authorize/events${query}`, (status) => poll.accept(status));
const order = ["PENDING", "ACTIVATED", "VERIFIED", "CONSUMED", "EXPIRED"];
const endReasons = ["second_phone", "person", "wrong_codes", "client", "other_person"]; // others than time
const heldReasons = ["number_hidden", "number_requested", "message_unreadable"];
const isHeld = (held) => held === "number_hidden" || held === "number_requested"; // the words have arrived
const views = ["loading", "open", "verified", "consumed", "expired", "elsewhere", "blocked", "gone"];
const onComputer = !matchMedia("(pointer: coarse)").matches; // WhatsApp is on another device
let ready = false; // set up for the login's mode
let leaving = false; // to the application
let away = false; // another tab has gone there
let over = false; // nothing more can happen
let statusKey = "";
let reached = 0; // index in order; an answer with an earlier status is late, and is ignored

function showView(name) {
  const login = byId("login");
  if (login.dataset.view === name) return;
  if (login.dataset.view === "open") login.appendChild(login.querySelector("footer")); // inserted again, so that nothing that a person sees moves
  login.dataset.view = name;
  for (const other of views) show(byId(`view-${other}`), other === name);
  showProblem("");
  if (name === "open") return;
  stopClock();
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
  switch (status.status) {
    case "VERIFIED":
      return verified(status);
    case "CONSUMED":
      end();
      return showView("consumed");
    case "EXPIRED":
      return expired(status);
    default:
      return open(status);
  }
}

function stop() {
  poll.stop();
  stream.stop();
}

function end() {
  over = true;
  stop();
}

function open(status) {
  if (!ready) setUp(status.mode === "TEST");
  showWords(status.matchingWords);
  showHeld(status.held);
  showView("open");
  stream.open();
  statusKey = isHeld(status.held) ? "held" : status.mode === "TEST" ? "sandbox" : status.status;
  show(byId("hidden-number"), status.mode === "TEST" && !isHeld(status.held));
  setClock(status.expiresAt, status.serverTime);
}

// setUp shows what the login's mode asks for, before the person sees any of it.
function setUp(test) {
  ready = true;
  const live = !test;
  show(byId("sandbox"), !live);
  show(byId("live"), live);
  if (byId("qr")) show(byId("qr"), live);
  byId("view-open").classList.toggle("test", !live);
  if (!live) {
    details();
    byId("hidden-number").addEventListener("submit", hide);
    return byId("sandbox").addEventListener("submit", play);
  }
  if (byId("qr")) setUpCode(byId("qr")); // virtual phones can't scan one
  return details().then((told) => {
    if (told.receiver === null && reached < 2) return location.replace(`/authorize/page${query}`); // nobody can prove this login
    byId("receiver").dataset.copied = `+${told.receiver}`;
    setText(byId("receiver"), told.receiverText || "");
    show(byId("receiver-row"), Boolean(told.receiver)); // the button has the number, too
    byId("receiver-copy").disabled = !told.receiver;
  });
}

function setUpCode(qr) {
  const image = byId("qr-image");
  image.onerror = () => show(qr, false);
  const draw = () => qr.open && !image.src && (image.src = `/authorize/qr.svg${query}`);
  qr.classList.remove("early");
  qr.addEventListener("toggle", draw);
  qr.open = onComputer;
  draw();
}

// showHeld says why the login still waits although a message has arrived. The words stay visible.
function showHeld(held) {
  const words = heldReasons.indexOf(held) >= 0 ? text(held) : "";
  setText(byId("held"), words);
  show(byId("held"), words !== "");
}

// showWords keeps each word in one piece.
function showWords(words) {
  const element = byId("words");
  if (element.textContent === words) return;
  element.textContent = "";
  words.split(" ").forEach((word, i) => {
    if (i) element.appendChild(document.createTextNode(" "));
    element.appendChild(document.createElement("span")).textContent = word;
  });
}

// details asks for what the status does not have, and shows the application's color. Its logo, the largest file, comes after.
function details() {
  return call("GET", `/authorize/details${query}`).catch(() => ({})).then((told) => {
    if (told.accent) document.body.dataset.accent = told.accent;
    if (told.returnHost) setText(byId("return-host"), told.returnHost);
    byId("returns").classList.toggle("blank", !byId("return-host").textContent);
    showLogo(byId("logo"));
    return told;
  });
}

// showLogo fills the room that a page has for a logo. The static page has none: there a logo would move what is visible.
function showLogo(room) {
  if (!room || !room.dataset.src) return;
  const image = new Image();
  image.alt = "";
  image.onload = () => room.appendChild(image);
  image.src = room.dataset.src;
  delete room.dataset.src;
}

// play sends what stands in for a message in a TEST login.
function play(event) {
  event.preventDefault();
  const body = { loginKeyId, phoneE164: byId("sandbox-number").value };
  busy(byId("sandbox-send"), () => call("POST", "/authorize/sandbox", body).then(() => poll.now(), playFailed));
}

// hide sends the form of the simple page: the words of a TEST login, from nobody's number.
function hide(event) {
  event.preventDefault();
  const body = new URLSearchParams({ loginKeyId, action: "hidden" });
  const done = (answer) => (answer.status >= 400 ? playFailed(answer) : poll.now()); // a redirect has no status here
  busy(byId("hidden-send"), () => fetch("/authorize/page", { method: "POST", body, redirect: "manual" }).then(done, playFailed));
}

function verified(status) {
  if (away) return;
  const known = link(byId("continue"), status.redirectUrl);
  if (byId("login").dataset.view !== "verified") details().then((told) => setText(byId("verified-phone"), told.phone || ""));
  showView("verified");
  if (known && !leaving) {
    leaving = true;
    turn.leave();
    location.replace(status.redirectUrl);
  }
}

function expired(status) {
  end();
  link(byId("back"), status.redirectUrl);
  const stopped = endReasons.indexOf(status.endedBy) >= 0;
  show(byId("again"), !stopped);
  if (stopped) {
    setText(byId("ended"), text(status.endedBy));
    setText(byId("ended-more"), text(`${status.endedBy}_more`));
  }
  showView("expired");
}

function link(anchor, address) {
  const safe = Boolean(address) && isSafe(address);
  if (safe) anchor.href = address;
  show(anchor, safe);
  return safe;
}

// The countdown itself is not read aloud every second; that it comes to its end is said once.
onTick((seconds) => {
  if (byId("login").dataset.view !== "open" || poll.failures) return;
  setText(byId("status"), text(seconds <= 30 ? "half" : statusKey));
});

function isOver(error) {
  return [400, 401, 403].indexOf(error.status) >= 0;
}

function failed(error) {
  if (isOver(error)) return gone(error);
  setText(byId("status"), text("retrying"));
  setText(byId("waits"), text("retrying"));
}

function playFailed(error) {
  if (error.status === 400) return poll.now(); // the login has moved on: the status says where to
  if (isOver(error)) return gone(error);
  showProblem(text(error.status === 429 ? "busy" : "failed"));
}

function gone(error) {
  end();
  showView(error && error.code === "session_missing" && !cookiesWork() ? "blocked" : "gone");
}

setUpCopying(() => showProblem(""));

// takeUp goes on with a page that has the words.
function takeUp(clock) {
  show(byId("lost"), false);
  document.querySelector("[data-copy=words]").disabled = false;
  statusKey = clock.dataset.status;
  setClock(clock.dataset.expires, clock.dataset.now, 0);
  setUp(statusKey === "sandbox");
  if ("held" in clock.dataset) statusKey = "held";
  stream.open(); // a first poll that is lost must not keep it closed
}

if (byId("clock").dataset.expires) takeUp(byId("clock"));

// lost makes the page wait until the tab that goes on is closed.
function lost() {
  if (over || leaving || away) return;
  stop();
  showView("elsewhere");
}

function won() {
  if (!over && poll.stopped) poll.start();
}

// left follows the login until the application has exchanged the code.
function left() {
  if (over || leaving) return;
  away = true;
  stop();
  showView("elsewhere");
  poll.start();
}

const turn = loginKeyId && new Turn(loginKeyId, { lost, won, left });
if (turn) poll.start();
else gone();
