// Buttons that copy what an element says, or its data-copied: data-copy has the element's id.

import { byId, setText, text } from "./page.js";

const shown = 2000;

// setUpCopying makes them work; onPress is called first.
export function setUpCopying(onPress) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const words = button.querySelector("span") || button; // beside a picture
    const label = words.textContent;
    button.addEventListener("click", async () => {
      onPress();
      const done = await copy(byId(button.dataset.copy));
      setText(words, text(done ? "copied" : "uncopied"));
      setTimeout(() => setText(words, label), shown);
    });
  }
}

async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.dataset.copied || element.textContent);
    return true;
  } catch (error) {
    return copySelected(element); // an old browser, or a page without https
  }
}

// copySelected leaves the text selected, so that a person can copy it where the browser refuses.
function copySelected(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return document.execCommand("copy");
}
