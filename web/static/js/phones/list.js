// The list of phones, mailboxes and groups.

import { byId, say, show, text } from "../page.js";
import { addressName, initials, part } from "./channels.js";

export class List {
  constructor(onToggle) {
    this.onToggle = onToggle;
    this.items = new Map();
  }

  update(phones, isOpen) {
    const list = byId("list");
    const gone = new Set(this.items.keys());
    phones.forEach((phone, i) => {
      gone.delete(phone.address);
      const item = this.item(phone.address);
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] || null);
      fill(item, phone, isOpen(phone.address));
    });
    for (const address of gone) {
      this.items.get(address).remove();
      this.items.delete(address);
    }
  }

  item(address) {
    let item = this.items.get(address);
    if (!item) {
      item = part("item");
      item.querySelector("button").addEventListener("click", () => this.onToggle(address));
      this.items.set(address, item);
    }
    return item;
  }
}

function fill(item, phone, isOpen) {
  const find = (name) => item.querySelector(`.${name}`);
  find("item").setAttribute("aria-pressed", String(isOpen));
  avatar(find("avatar"), phone);
  say(find("item-name"), phone.name || addressName(phone.address));
  say(find("item-address"), phone.name && phone.kind !== "group" ? addressName(phone.address) : "");
  say(find("item-state"), stateOf(phone));
  show(find("item-unread"), phone.unread > 0);
  say(find("item-count"), phone.unread > 0 ? String(phone.unread) : "");
  say(find("aloud"), phone.unread > 0 ? `${phone.unread} ${text("unread")}` : "");
}

export function avatar(element, phone) {
  element.dataset.kind = phone.kind || "phone";
  say(element, initials(phone.name) || (phone.kind === "email" ? "@" : "#"));
}

function stateOf(phone) {
  const words = [];
  if (phone.kind === "group") words.push(text("group"));
  if (phone.online === false) words.push(text("offline"));
  if (phone.blocked) words.push(text("blocked"));
  return words.join(" · ");
}
