// WhatsApp's markup: *bold*, _italic_, ~strike~, and `monospace`. It becomes elements around text, never HTML.

import { isLetterOrDigit } from "./letters.js";

const tags = { "*": "strong", _: "em", "~": "s" };
const fences = ["```", "`"];

// markup shows a text with its markup in an element.
export function markup(element, words) {
  element.replaceChildren(...nodes(words));
}

function nodes(words) {
  const made = [];
  let plain = "";
  for (let i = 0; i < words.length;) {
    const span = spanAt(words, i);
    if (!span) {
      plain += words[i];
      i += 1;
      continue;
    }
    if (plain) made.push(document.createTextNode(plain));
    plain = "";
    const element = document.createElement(span.tag);
    element.append(...(span.tag === "code" ? [span.inner] : nodes(span.inner)));
    made.push(element);
    i = span.end;
  }
  if (plain) made.push(document.createTextNode(plain));
  return made;
}

// spanAt returns what begins at a place: its tag, its text, and where it ends; null when nothing does.
function spanAt(words, at) {
  if (isWord(words[at - 1])) return null;
  for (const fence of fences) {
    if (!words.startsWith(fence, at)) continue;
    const end = words.indexOf(fence, at + fence.length);
    if (end > at + fence.length) return { tag: "code", inner: words.slice(at + fence.length, end), end: end + fence.length };
  }
  const mark = words[at];
  if (!tags[mark] || isSpace(words[at + 1])) return null;
  const line = words.indexOf("\n", at);
  for (let end = words.indexOf(mark, at + 2); end > 0 && (line < 0 || end < line); end = words.indexOf(mark, end + 1)) {
    if (!isSpace(words[end - 1]) && !isWord(words[end + 1])) return { tag: tags[mark], inner: words.slice(at + 1, end), end: end + 1 };
  }
  return null;
}

function isWord(character) {
  return character !== undefined && isLetterOrDigit(character);
}

function isSpace(character) {
  return character === undefined || /\s/.test(character);
}
