// The virtual phones: simulated recipients, for trying Griot out.

import { call } from "./call.js";
import { byId, setText, show, text } from "./page.js";
import { Card, kindOf } from "./phones/card.js";
import { addressName, channels, learnGroups, typedAddress } from "./phones/channels.js";
import { normalise } from "./phones/compose.js";
import { setUpFaults } from "./phones/faults.js";
import { List } from "./phones/list.js";

const interval = 1000;
const mostOpen = 3; // what a wide screen shows side by side
const narrow = matchMedia("(max-width: 55.99rem)"); // here one phone is shown, and the list changes it
const defaultWriter = "22370000001"; // who writes, when a link names nobody and there are no phones yet
const storageKey = "griot.phones";

const cards = new Map();
const list = new List((address) => (isShown(address) ? close(address) : open(address)));
let current = "";
let phones = [];
let contacts = [];
let timer = 0;
let refreshing = false;
let again = false;

function open(address) {
  if (!cards.has(address)) {
    if (cards.size >= mostOpen) close(cards.keys().next().value); // the one that was opened first
    cards.set(address, new Card(address, { onClose: close, onChange: refresh, onMove: open, nameOf }));
  }
  current = address;
  remember();
  refresh();
  return cards.get(address);
}

function close(address) {
  if (cards.has(address)) cards.get(address).element.remove();
  cards.delete(address);
  if (current === address) current = [...cards.keys()].pop() || "";
  remember();
  draw();
}

// isShown reports whether a phone is on the screen: on a narrow one, only the current one is.
function isShown(address) {
  return narrow.matches ? address === current : cards.has(address);
}

function remember() {
  sessionStorage.setItem(storageKey, JSON.stringify([...cards.keys()]));
  show(byId("board-empty"), cards.size === 0);
}

function nameOf(channel, address) {
  const contact = contacts.find((known) => known.channel === channel && known.address === address);
  const phone = phones.find((known) => known.address === address);
  return (contact || {}).name || (phone || {}).name || addressName(address);
}

function draw() {
  const listed = new Set(phones.map((phone) => phone.address));
  const guests = [...cards.keys()].filter((address) => !listed.has(address)).map((address) => ({ address, name: "", kind: kindOf(address), unread: 0 }));
  const all = [...phones, ...guests];
  list.update(all, isShown);
  for (const [address, card] of cards) card.element.classList.toggle("current", address === current);
  for (const phone of all) if (cards.has(phone.address)) cards.get(phone.address).describe(phone, contacts);
  for (const channel of channels) offer(channel);
}

// offer lists a channel's contacts for the address fields.
function offer(channel) {
  const id = `contacts-${channel}`;
  const known = contacts.filter((contact) => contact.channel === channel);
  const signature = JSON.stringify(known);
  const old = byId(id);
  if (old && old.dataset.signature === signature) return;
  const datalist = document.createElement("datalist");
  datalist.id = id;
  datalist.dataset.signature = signature;
  datalist.append(...known.map((contact) => new Option(contact.name, typedAddress(contact.address))));
  if (old) old.replaceWith(datalist);
  else byId("main").append(datalist);
}

async function refresh() {
  clearTimeout(timer);
  again = refreshing;
  if (refreshing) return;
  refreshing = true;
  try {
    ({ phones, contacts } = learnGroups(await call("GET", "/dev/phones-list")));
    await Promise.all([...cards.values()].map((card) => card.refresh()));
    draw();
    setText(byId("connection"), text("connected"));
  } catch (error) {
    setText(byId("connection"), text("lost"));
  } finally {
    refreshing = false;
  }
  if (document.visibilityState === "visible") timer = setTimeout(refresh, again ? 0 : interval);
}

function start() {
  setUpFaults();
  byId("add").addEventListener("submit", (event) => {
    event.preventDefault();
    const address = normalise(byId("add-address").value);
    const known = /^[1-9]\d{7,14}$/.test(address) || /^[^@\s/]+@[^@\s/]+$/.test(address);
    byId("add-address").setCustomValidity(known ? "" : text("bad_address"));
    if (!byId("add-address").reportValidity()) return;
    byId("add-address").value = "";
    open(address).element.scrollIntoView({ inline: "center", block: "nearest" });
  });
  byId("add-address").addEventListener("input", () => byId("add-address").setCustomValidity(""));
  narrow.addEventListener("change", draw);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") refresh(); });
  firstCards();
}

// firstCards opens the phones of the last visit, or the first few, and the one that a link names: "phone" is only to be
// looked at, and "from" is to write a message.
async function firstCards() {
  const asked = new URLSearchParams(location.search);
  await refresh();
  const last = JSON.parse(sessionStorage.getItem(storageKey) || "null");
  const first = phones.filter((phone) => phone.kind === "phone");
  const addresses = last || phones.slice(0, mostOpen).map((phone) => phone.address);
  for (const address of addresses) open(address);
  current = addresses[0] || "";
  remember();
  draw();
  if (asked.get("phone")) {
    byId("board").prepend(open(normalise(asked.get("phone"))).element);
    history.replaceState(null, "", location.pathname);
  }
  if (!asked.get("to") && !asked.get("text")) return;
  const writer = normalise(asked.get("from") || "") || (first[0] || {}).address || defaultWriter;
  const card = open(writer);
  byId("board").prepend(card.element);
  card.compose.prefill({ to: normalise(asked.get("to") || ""), text: asked.get("text"), channel: asked.get("channel") });
  history.replaceState(null, "", location.pathname); // a reload must not write the message again
}

start();
