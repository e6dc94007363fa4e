// The preview of a message while it is written, and only the fields that it needs. Without it the form sends all the same.

import { byId } from "./page.js";

const pause = 400;
const form = byId("send");
const to = byId("to");
let timer = 0;
let latest = 0;

// refresh shows what the server says about the form as it is now; an answer that is overtaken is dropped.
async function refresh() {
  const number = ++latest;
  const old = byId("preview");
  old.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.dataset.preview, { method: "POST", body: new URLSearchParams(new FormData(form)), credentials: "same-origin" });
    if (number !== latest || !answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("preview");
    if (number !== latest || !fresh) return;
    old.replaceChildren(...fresh.childNodes);
    const content = page.getElementById("content");
    if (byId("content").dataset.preset === content.dataset.preset) return;
    byId("content").replaceChildren(...content.childNodes);
    byId("content").dataset.preset = content.dataset.preset;
  } catch (error) {
    return; // without a network there is no preview
  } finally {
    old.removeAttribute("aria-busy");
  }
}

// plan asks once the person pauses, and only when there is something to ask about.
function plan() {
  form.dataset.to = to.value.includes("@") ? "email" : "number";
  clearTimeout(timer);
  const text = byId("message"); // none with a preset
  const chosen = byId("content").dataset.preset !== byId("preset").value; // another one, whose fields the page doesn't have yet
  if (chosen || to.value.trim() && (!text || text.value.trim())) timer = setTimeout(refresh, chosen ? 0 : pause);
}

byId("preview").hidden = false;
byId("show").hidden = true;
form.addEventListener("input", plan);
form.addEventListener("change", plan);
addEventListener("pageshow", plan); // also after Back, when the browser has restored the choice
