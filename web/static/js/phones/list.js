// The list of phones, mailboxes, and groups.

import { byId, setText, show, text } from "../page.js";
import { addressName, cloneTemplate, initials } from "./channels.js";

export class List {
  constructor(onToggle) {
    this.onToggle = onToggle;
    this.items = new Map();
  }

  update(phones, isOpen) {
    const list = byId("list");
    const removed = new Set(this.items.keys());
    phones.forEach((phone, i) => {
      removed.delete(phone.address);
      const item = this.item(phone.address);
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] || null);
      fill(item, phone, isOpen(phone.address));
    });
    for (const address of removed) {
      this.items.get(address).remove();
      this.items.delete(address);
    }
  }

  item(address) {
    let item = this.items.get(address);
    if (!item) {
      item = cloneTemplate("item");
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
  setText(find("item-name"), phone.name || addressName(phone.address));
  setText(find("item-address"), phone.name && phone.kind !== "group" ? addressName(phone.address) : "");
  setText(find("item-state"), stateOf(phone));
  show(find("item-unread"), phone.unread > 0);
  setText(find("item-count"), phone.unread > 0 ? String(phone.unread) : "");
  setText(find("aloud"), phone.unread > 0 ? `${phone.unread} ${text("unread")}` : "");
}

export function avatar(element, phone) {
  element.dataset.kind = phone.kind || "phone";
  setText(element, initials(phone.name) || (phone.kind === "email" ? "@" : "#"));
}

function stateOf(phone) {
  const words = [];
  if (phone.kind === "group") words.push(text("group"));
  if (phone.online === false) words.push(text("offline"));
  if (phone.blocked) words.push(text("blocked"));
  return words.join(" · ");
}
