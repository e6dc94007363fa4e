// A TEST login: it is proved with one of the sandbox numbers, without WhatsApp.

import { call } from "../call.js";
import { busy, byId, show } from "../page.js";

export function showSandbox(loginKeyId, onSent, onProblem) {
  const form = byId("sandbox");
  if (!form.hidden) return;
  show(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = { loginKeyId, phoneE164: byId("sandbox-number").value };
    busy(byId("sandbox-send"), () => call("POST", "/authorize/sandbox", body).then(onSent, onProblem));
  });
}
