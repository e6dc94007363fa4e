// The messages on a phone's screen. Their content is only set as text, never as HTML.

import { setText, show, text } from "../page.js";
import { addressName, channelName, cloneTemplate } from "./channels.js";
import { drawMail, drawMedia } from "./content.js";
import { drawForms } from "./forms.js";
import { markup } from "./markup.js";

const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(document.documentElement.lang, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export class Talk {
  constructor(element, address, nameOf, actions) {
    this.element = element;
    this.path = `/dev/phones/${encodeURIComponent(address)}/messages`;
    this.actions = actions; // what can be done with a message: choose, share, edit, remove
    this.nameOf = nameOf;
    this.bubbles = new Map();
    this.texts = new Map(); // of the messages, by id
    this.channel = "";
  }

  // update shows the messages, oldest first. Elements that exist are kept, so that screen readers read nothing twice.
  update(messages) {
    const list = this.element;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const before = list.childElementCount;
    const removed = new Set(this.bubbles.keys());
    const shown = messages.filter((message) => !this.channel || message.channel === this.channel);
    list.dataset.app = new Set(shown.map((message) => message.channel)).size === 1 ? shown[0].channel : "";
    this.texts = new Map(messages.map((message) => [message.id, message.text || message.fileName || ""]));
    messages.forEach((message, i) => {
      removed.delete(message.id);
      let bubble = this.bubbles.get(message.id);
      if (!bubble || bubble.dataset.version !== versionOf(message)) {
        if (bubble) bubble.remove();
        bubble = this.draw(message);
        this.bubbles.set(message.id, bubble);
      }
      if (list.children[i] !== bubble) list.insertBefore(bubble, list.children[i] || null);
      setText(bubble.querySelector(".bubble-status"), this.status(message));
      bubble.dataset.status = String(message.status).toLowerCase();
      show(bubble, shown.includes(message));
    });
    shown.forEach((message, i) => this.bubbles.get(message.id).classList.toggle("again", followsOn(message, shown[i - 1])));
    for (const id of removed) {
      this.bubbles.get(id).remove();
      this.bubbles.delete(id);
    }
    if (atEnd && list.childElementCount !== before) list.scrollTop = list.scrollHeight;
  }

  draw(message) {
    const bubble = cloneTemplate("message");
    const find = (name) => bubble.querySelector(`.${name}`);
    const incoming = message.direction === "in";
    bubble.classList.add(incoming ? "in" : "out");
    bubble.dataset.channel = message.channel;
    bubble.dataset.version = versionOf(message);
    const peer = incoming ? message.from : message.to;
    setText(find("bubble-peer"), `${text(incoming ? "from" : "to")} ${this.nameOf(message.channel, peer)}`);
    find("bubble-peer").title = addressName(peer);
    setText(find("bubble-channel"), channelName(message.channel));
    find("bubble-channel").dataset.channel = message.channel;
    setText(find("bubble-subject"), message.subject || "");
    show(find("bubble-subject"), Boolean(message.subject));
    const quoted = this.texts.get(message.replyTo) || "";
    setText(find("bubble-quote"), quoted);
    show(find("bubble-quote"), Boolean(quoted));
    if (message.channel === "whatsapp") markup(find("bubble-text"), message.text || "");
    else setText(find("bubble-text"), message.text || "");
    show(find("bubble-text"), Boolean(message.text) && !message.html);
    this.drawExtras(find, message);
    this.drawRevision(find, message);
    const at = new Date(message.at);
    find("bubble-foot").querySelector("time").dateTime = message.at;
    setText(find("bubble-foot").querySelector("time"), (isToday(at) ? clock : day).format(at));
    return bubble;
  }

  drawExtras(find, message) {
    drawForms(find, message, (choice) => this.actions.choose(message, choice), () => this.actions.share(message));
    const address = `${this.path}/${encodeURIComponent(message.id)}`;
    drawMail(find, message, address);
    drawMedia(find, message, address);
  }

  // drawRevision shows what became of a message that the phone has sent, and offers to change it.
  drawRevision(find, message) {
    setText(find("bubble-revised"), ["edited", "deleted"].includes(message.revised) ? text(message.revised) : "");
    const mine = message.direction === "out" && message.channel === "whatsapp" && message.revised !== "deleted";
    show(find("bubble-revise"), mine);
    show(find("bubble-edit"), Boolean(message.mediaUrl) || message.type === "text");
    find("bubble-edit").addEventListener("click", () => this.actions.edit(message));
    find("bubble-delete").addEventListener("click", () => this.actions.remove(message));
  }

  status(message) {
    const status = String(message.status || "").toLowerCase();
    return ["sent", "delivered", "read"].includes(status) ? text(status) : status;
  }
}

// followsOn reports whether a message comes from and goes to the same as the one before, so that it needs no head.
function followsOn(message, before) {
  return Boolean(before) && ["direction", "channel", "from", "to"].every((name) => message[name] === before[name]);
}

// versionOf distinguishes what a message says before and after a change.
function versionOf(message) {
  return message.revised ? `${message.revised} ${message.text || ""}` : "";
}

function isToday(at) {
  return at.toDateString() === new Date().toDateString();
}
