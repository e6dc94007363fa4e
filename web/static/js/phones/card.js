// One phone on the board.

import { call } from "../call.js";
import { byId, setText, show, text } from "../page.js";
import { addressName, channelName, cloneTemplate, learnGroups } from "./channels.js";
import { Compose } from "./compose.js";
import { avatar } from "./list.js";
import { Privacy } from "./privacy.js";
import { Talk } from "./talk.js";

export class Card {
  constructor(address, { onClose, onChange, onMove, nameOf }) {
    this.address = address;
    this.onChange = onChange;
    this.nameOf = nameOf;
    this.reads = true; // the person reads what is on the screen
    this.phone = { address, name: "", kind: kindOf(address), online: true, blocked: false };
    this.markedRead = new Set();
    this.element = cloneTemplate("phone");
    this.talk = new Talk(this.find("talk"), address, nameOf, {
      choose: (message, words) => this.compose.answer(message, words),
      share: (message) => this.compose.share(message),
      edit: (message) => this.compose.edit(message),
      remove: (message) => this.compose.remove(message),
    });
    this.compose = new Compose(this.find("compose"), address, onChange);
    this.privacy = new Privacy(this.find("phone-privacy"), address, onChange, onMove);
    this.find("phone-close").addEventListener("click", () => onClose(address));
    for (const button of this.element.querySelectorAll("[data-toggle]")) button.addEventListener("click", () => this.toggle(button.dataset.toggle));
    this.describe(this.phone, []);
    byId("board").append(this.element);
  }

  find(name) {
    return this.element.querySelector(`.${name}`);
  }

  // describe shows the phone's data of the list.
  describe(phone, contacts) {
    this.phone = phone;
    const isPhone = phone.kind === "phone";
    this.element.dataset.kind = phone.kind;
    this.element.classList.toggle("off", phone.online === false);
    avatar(this.find("avatar"), phone);
    setText(this.find("phone-name"), phone.name || addressName(this.address));
    const members = (phone.members || []).map((member) => this.nameOf("whatsapp", member));
    setText(this.find("phone-address"), members.join(", ") || (phone.name ? addressName(this.address) : ""));
    this.element.setAttribute("aria-label", phone.name || addressName(this.address));
    show(this.find("phone-switches"), phone.kind !== "group");
    show(this.find("compose"), isPhone);
    this.element.querySelector("[data-toggle=online]").setAttribute("aria-pressed", String(phone.online === false));
    this.element.querySelector("[data-toggle=blocked]").setAttribute("aria-pressed", String(Boolean(phone.blocked)));
    this.privacy.describe(phone);
    this.contacts = contacts;
    if (isPhone) this.compose.suggest(this.lastIn, contacts);
  }

  async refresh() {
    const { messages } = learnGroups(await call("GET", `/dev/phones/${encodeURIComponent(this.address)}/messages`));
    this.messages = messages;
    this.lastIn = messages.filter((message) => message.direction === "in").pop();
    this.showChannels(messages);
    this.talk.update(messages);
    this.element.dataset.app = this.talk.element.dataset.app;
    show(this.find("talk-empty"), messages.length === 0);
    if (this.reads && document.visibilityState === "visible" && this.element.checkVisibility()) await this.markRead(messages);
  }

  // markRead reports the messages on the screen as read.
  async markRead(messages) {
    const seen = messages.filter((message) => message.direction === "in" && String(message.status).toLowerCase() !== "read" && !this.markedRead.has(message.id));
    for (const message of seen) {
      this.markedRead.add(message.id);
      await call("POST", `/dev/phones/${encodeURIComponent(this.address)}/messages/${encodeURIComponent(message.id)}/read`, {}).catch((error) => {
        if (error.status === 0) this.markedRead.delete(message.id);
      });
    }
  }

  // showChannels shows a filter by channel, if there is more than one.
  showChannels(messages) {
    const present = [...new Set(messages.map((message) => message.channel))].sort();
    const group = this.find("phone-channels");
    show(group, present.length > 1);
    if (group.dataset.present === present.join()) return;
    group.dataset.present = present.join();
    group.replaceChildren(...["", ...present].map((channel) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      chip.textContent = channel ? channelName(channel) : text("all");
      chip.setAttribute("aria-pressed", String(this.talk.channel === channel));
      chip.addEventListener("click", () => {
        this.talk.channel = channel;
        for (const other of group.children) other.setAttribute("aria-pressed", String(other === chip));
        this.talk.update(this.messages);
        this.element.dataset.app = this.talk.element.dataset.app;
      });
      return chip;
    }));
  }

  async toggle(what) {
    if (what === "unread") {
      this.reads = !this.reads;
      this.element.querySelector("[data-toggle=unread]").setAttribute("aria-pressed", String(!this.reads));
      return this.onChange();
    }
    const change = what === "online" ? { online: this.phone.online === false } : { blocked: !this.phone.blocked };
    await call("PUT", `/dev/phones/${encodeURIComponent(this.address)}`, change).catch(() => {});
    this.onChange();
  }
}

export function kindOf(address) {
  if (address.endsWith("@g.us")) return "group";
  return address.includes("@") ? "email" : "phone";
}
