// The messages on a phone's screen. Their content is only set as text, never as HTML.

import { setText, show, text } from "../page.js";
import { addressName, channelName, cloneTemplate } from "./channels.js";
import { drawForms } from "./forms.js";

const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(document.documentElement.lang, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export class Talk {
  constructor(element, nameOf, onChoose) {
    this.element = element;
    this.onChoose = onChoose;
    this.nameOf = nameOf;
    this.bubbles = new Map();
    this.channel = "";
  }

  // update shows the messages, oldest first. Elements that exist are kept, so that screen readers read nothing twice.
  update(messages) {
    const list = this.element;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const before = list.childElementCount;
    const removed = new Set(this.bubbles.keys());
    messages.forEach((message, i) => {
      removed.delete(message.id);
      let bubble = this.bubbles.get(message.id);
      if (!bubble) {
        bubble = this.draw(message);
        this.bubbles.set(message.id, bubble);
      }
      if (list.children[i] !== bubble) list.insertBefore(bubble, list.children[i] || null);
      setText(bubble.querySelector(".bubble-status"), this.status(message));
      show(bubble, !this.channel || message.channel === this.channel);
    });
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
    const peer = incoming ? message.from : message.to;
    setText(find("bubble-peer"), `${text(incoming ? "from" : "to")} ${this.nameOf(message.channel, peer)}`);
    find("bubble-peer").title = addressName(peer);
    setText(find("bubble-channel"), channelName(message.channel));
    find("bubble-channel").dataset.channel = message.channel;
    setText(find("bubble-subject"), message.subject || "");
    show(find("bubble-subject"), Boolean(message.subject));
    setText(find("bubble-text"), message.text || "");
    show(find("bubble-text"), Boolean(message.text));
    this.drawExtras(find, message);
    const at = new Date(message.at);
    find("bubble-foot").querySelector("time").dateTime = message.at;
    setText(find("bubble-foot").querySelector("time"), (isToday(at) ? clock : day).format(at));
    return bubble;
  }

  drawExtras(find, message) {
    drawForms(find, message, (choice) => this.onChoose(message, choice));
    if (message.html) {
      setText(find("bubble-html").querySelector("pre"), message.html);
      show(find("bubble-html"));
    }
    if (/^https?:\/\//i.test(message.mediaUrl || "")) {
      const link = find("bubble-media").querySelector("a");
      link.href = message.mediaUrl;
      if (message.fileName) setText(link, message.fileName);
      setText(find("bubble-kind"), message.mimeType || "");
      show(find("bubble-media"));
    }
  }

  status(message) {
    const status = String(message.status || "").toLowerCase();
    return ["sent", "delivered", "read"].includes(status) ? text(status) : status;
  }
}

function isToday(at) {
  return at.toDateString() === new Date().toDateString();
}
