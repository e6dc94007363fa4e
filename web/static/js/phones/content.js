// What is in a bubble besides its text: a mail in its frame, a picture, a sound, a film, or a document's card.

import { setText, show, text } from "../page.js";

const titleOf = { image: "picture", video: "film", audio: "sound" };

// drawMail shows a mail's HTML in a frame in which nothing runs, and its text below.
export function drawMail(find, message, address) {
  if (!message.html) return;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "");
  frame.referrerPolicy = "no-referrer";
  frame.title = message.subject || text("mail");
  frame.src = `${address}/html`;
  find("bubble-mail").append(frame);
  show(find("bubble-mail"));
  setText(find("bubble-html").querySelector("pre"), message.html);
  show(find("bubble-html"));
  if (!message.text) return;
  setText(find("bubble-plain").querySelector("p"), message.text);
  show(find("bubble-plain"));
}

// drawMedia shows what is attached. What can't be shown has a card that leads to it.
export function drawMedia(find, message, address) {
  if (!/^https?:\/\//i.test(message.mediaUrl || "")) return;
  const link = find("bubble-media").querySelector("a");
  const name = message.fileName || lastPart(message.mediaUrl);
  link.href = message.mediaUrl;
  if (name) setText(link, name);
  setText(find("bubble-kind"), [kindName(message), size(message.mediaSize)].filter(Boolean).join(" · "));
  const shown = elementOf(message, name);
  const useCard = () => {
    if (shown) shown.remove();
    show(find("bubble-shown"), false);
    show(find("bubble-media"));
  };
  if (!shown) return useCard();
  shown.addEventListener("error", useCard);
  shown.src = `${address}/media`;
  find("bubble-shown").append(shown);
  show(find("bubble-shown"));
}

function elementOf({ type }, name) {
  if (type === "image" || type === "sticker") {
    const picture = document.createElement("img");
    picture.alt = name || text("picture");
    return picture;
  }
  if (type !== "audio" && type !== "video") return null;
  const player = document.createElement(type);
  player.controls = true;
  player.preload = "metadata";
  player.setAttribute("aria-label", name || text(titleOf[type]));
  return player;
}

function kindName({ mimeType, type }) {
  return mimeType || text(titleOf[type] || "document");
}

function size(bytes) {
  if (!bytes) return "";
  const kilo = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "kilobyte", maximumFractionDigits: 0 });
  return kilo.format(Math.max(1, bytes / 1000));
}

function lastPart(address) {
  try {
    return decodeURIComponent(new URL(address).pathname.split("/").pop());
  } catch (error) {
    return "";
  }
}
