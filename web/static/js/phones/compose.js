// Writing a message on a phone: to a contact, or to whoever wrote last.

import { call } from "../call.js";
import { setText, show, text } from "../page.js";
import { typedAddress } from "./channels.js";

export class Compose {
  constructor(form, address, onSent) {
    this.form = form;
    this.address = address;
    this.onSent = onSent;
    this.chosen = false; // the person has said whom to write to
    this.fields = form.elements;
    this.fields.to.addEventListener("input", () => { this.chosen = true; });
    this.fields.channel.addEventListener("change", () => {
      this.offerContacts();
      if (!this.chosen) this.fields.to.value = "";
      this.suggest(null);
    });
    this.fields.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    form.querySelector(".stop").addEventListener("click", () => this.send("STOP"));
    form.querySelector(".compose-edit-end").addEventListener("click", () => this.edit(null));
    this.editing = ""; // the id of the message that the next one replaces
    this.path = `/dev/phones/${encodeURIComponent(address)}/messages`;
    this.contacts = [];
    this.offerContacts();
  }

  offerContacts() {
    this.fields.to.setAttribute("list", `contacts-${this.fields.channel.value}`);
  }

  // prefill fills in the parameters of a link.
  prefill({ to, text: words, channel }) {
    if (channel) this.fields.channel.value = channel;
    if (to) this.fields.to.value = typedAddress(to);
    this.fields.text.value = words || "";
    this.chosen = Boolean(to);
    this.offerContacts();
    this.fields.text.focus();
    this.fields.text.scrollTop = 0;
  }

  // suggest fills in whoever wrote last, or else the first contact, until the person chooses.
  suggest(last, contacts = this.contacts) {
    this.contacts = contacts;
    if (this.chosen || document.activeElement === this.fields.to) return;
    if (last && last.channel !== "email" && /^\d+$/.test(last.from) && this.seen !== last.id) {
      this.seen = last.id;
      this.fields.channel.value = last.channel;
      this.fields.to.value = typedAddress(last.from);
      this.offerContacts();
    }
    const first = contacts.find((contact) => contact.channel === this.fields.channel.value);
    if (!this.fields.to.value && first) this.fields.to.value = typedAddress(first.address);
  }

  // answer sends the choice that was pressed below a message to its sender.
  answer({ id, channel, from }, choice) {
    return this.post({ channel, to: from, text: choice.title, choice, replyTo: id });
  }

  // share presses the button of a request for the number.
  share({ id }) {
    return this.post({}, "POST", `${this.pathOf(id)}/share`);
  }

  // edit puts a message into the field, until it is sent again; null ends that.
  edit(message) {
    this.editing = message ? message.id : "";
    this.fields.text.value = message ? message.text || "" : "";
    show(this.form.querySelector(".compose-edit"), Boolean(message));
    if (message) this.fields.text.focus();
  }

  remove({ id }) {
    return this.post({}, "DELETE", this.pathOf(id));
  }

  pathOf(id) {
    return `${this.path}/${encodeURIComponent(id)}`;
  }

  // send sends what is written, or what a button stands for.
  async send(instead) {
    if (this.editing && !instead) {
      if (await this.post({ text: this.fields.text.value }, "PUT", this.pathOf(this.editing))) this.edit(null);
      return;
    }
    const { channel, to, text: words, displayName } = this.fields;
    const message = { channel: channel.value, to: normalise(to.value), text: instead || words.value };
    if (displayName.value.trim()) message.displayName = displayName.value.trim();
    if (await this.post(message) && !instead) words.value = "";
  }

  // post sends a message, or another change, and returns whether it was accepted.
  async post(message, method = "POST", path = this.path) {
    const problem = this.form.querySelector(".compose-problem");
    show(problem, false);
    try {
      await call(method, path, message);
    } catch (error) {
      setText(problem, `${text("failed")} ${error.message}`);
      show(problem);
      return false;
    }
    this.onSent();
    return true;
  }
}

// normalise removes a number's plus and punctuation; other addresses stay as they are.
export function normalise(address) {
  const digits = address.replace(/[\s().+-]/g, "");
  return /^\d{8,15}$/.test(digits) ? digits : address.trim();
}
