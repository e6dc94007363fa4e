// The preview of a message while it is written. Without it the form sends all the same.

import { byId } from "./page.js";

const pause = 400;
const form = byId("send");
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
    if (number === latest && fresh) old.replaceChildren(...fresh.childNodes);
  } catch (error) {
    return; // without a network there is no preview
  } finally {
    old.removeAttribute("aria-busy");
  }
}

// plan asks once the person pauses, and only when there is something to ask about.
function plan() {
  clearTimeout(timer);
  if (byId("to").value.trim() && byId("message").value.trim()) timer = setTimeout(refresh, pause);
}

byId("preview").hidden = false;
form.addEventListener("input", plan);
form.addEventListener("change", plan);
plan();
