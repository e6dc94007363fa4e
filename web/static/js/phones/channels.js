// The channels, as people call them.

import { text } from "../page.js";
import { beginsWithLetter } from "./letters.js";

export const channels = ["whatsapp", "sms", "email"];

export function channelName(channel) {
  if (channel === "whatsapp") return "WhatsApp";
  if (channel === "sms") return "SMS";
  return channel === "email" ? text("email") : channel;
}

// addressName shows digits as a telephone number and leaves every other address as it is.
export function addressName(address) {
  return /^\d{8,15}$/.test(address) ? `+${address}` : address;
}

// initials are shown in place of a picture.
export function initials(name) {
  const words = (name || "").split(/\s+/).filter((word) => beginsWithLetter(word));
  return words.slice(0, 2).map((word) => [...word][0].toUpperCase()).join("");
}

export function cloneTemplate(id) {
  return document.getElementById(`part-${id}`).content.firstElementChild.cloneNode(true);
}
