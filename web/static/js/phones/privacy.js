// A phone's username on WhatsApp, which can hide its number, and a change of the number.

import { call } from "../call.js";
import { setText, show, text } from "../page.js";
import { normalise } from "./compose.js";

export class Privacy {
  constructor(element, address, onChange, onMove) {
    this.element = element;
    this.path = `/dev/phones/${encodeURIComponent(address)}`;
    this.form = this.find("privacy");
    this.shown = "";
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { username, hidden } = this.form.elements;
      this.send("PUT", "privacy", { username: username.value.trim(), hidden: hidden.checked }).then((ok) => ok && onChange());
    });
    this.find("number").addEventListener("submit", (event) => {
      event.preventDefault();
      const { number } = this.find("number").elements;
      this.send("POST", "number", { to: normalise(number.value) }).then((moved) => {
        if (!moved) return;
        number.value = "";
        onMove(moved.address);
      });
    });
  }

  find(name) {
    return this.element.querySelector(`.${name}`);
  }

  // describe shows what the list of phones has. What a person is typing stays.
  describe({ kind, id = "", username = "", hidden = false }) {
    show(this.element, kind === "phone");
    setText(this.find("privacy-title"), username ? `@${username} · ${text(hidden ? "number_hidden" : "number_shown")}` : text("no_username"));
    setText(this.find("privacy-id"), id);
    show(this.find("privacy-id"), Boolean(id));
    const now = JSON.stringify([username, hidden]);
    if (this.shown === now) return;
    this.shown = now;
    this.form.elements.username.value = username;
    this.form.elements.hidden.checked = hidden;
  }

  // send makes a change, and returns the response, or null if it was refused.
  async send(method, what, change) {
    const problem = this.find("privacy-problem");
    show(problem, false);
    try {
      return await call(method, `${this.path}/${what}`, change);
    } catch (error) {
      setText(problem, `${text("failed")} ${error.message}`);
      show(problem);
      return null;
    }
  }
}
