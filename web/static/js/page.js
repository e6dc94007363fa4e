// Helpers to change the page. The sentences come with the page, in its language.

export const byId = (id) => document.getElementById(id);

// text returns a sentence of the page's <template id="texts">.
export function text(key) {
  const element = byId("texts").content.querySelector(`[data-key="${CSS.escape(key)}"]`);
  return element ? element.textContent : key;
}

// setText changes an element's text only when it differs, so that a screen reader doesn't repeat it.
export function setText(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

// busy keeps a button from being pressed twice. It isn't disabled, because that would take its focus away.
export async function busy(button, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}

export function show(element, visible = true) {
  if (element.hidden === visible) element.hidden = !visible;
}

// isSafe reports whether an address leads to an application and doesn't run as a script.
export function isSafe(address) {
  try {
    return ["javascript:", "data:", "vbscript:", "blob:", "file:"].indexOf(new URL(address).protocol) < 0;
  } catch (error) {
    return false;
  }
}
