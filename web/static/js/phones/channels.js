// The channels, as people call them.

import { text } from "../page.js";
import { beginsWithLetter } from "./letters.js";

export const channels = ["whatsapp", "sms", "email"];

export function channelName(channel) {
  if (channel === "whatsapp") return "WhatsApp";
  if (channel === "sms") return "SMS";
  return channel === "email" ? text("email") : channel;
}

const grouped = new Map();

// learnGroups keeps how an answer groups the digits of numbers.
export function learnGroups(answer) {
  for (const [address, shown] of Object.entries(answer.grouped || {})) grouped.set(address, shown);
  return answer;
}

// addressName shows an address to people: numbers have their digits in groups.
export function addressName(address) {
  return grouped.get(address) || typedAddress(address);
}

// typedAddress writes digits as a telephone number, for fields, and leaves every other address as it is.
export function typedAddress(address) {
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
