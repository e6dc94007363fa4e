// The form that tries an operation with a test key. The key is in its field and in the request, and nowhere else:
// nothing is stored, nothing stands in an address, and cookies stay out of the request.

import { busy, byId, setText, show, text } from "../page.js";
import { isLive, refusal } from "./keys.js";

const timeoutMs = 30000;
const shownBytes = 65536;

export function setUpTrying(form) {
  show(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    busy(form.querySelector("button"), () => attempt(form));
  });
}

async function attempt(form) {
  show(byId("try-problem"), false);
  show(byId("try-answer"), false);
  const request = requestOf(form);
  const problem = refusal(form.dataset.credential, valueOf("try-key")) || (isLive(JSON.stringify(request)) ? "live" : "");
  if (problem) {
    explain(problem);
    return;
  }
  const abort = new AbortController();
  const timeout = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const begun = performance.now();
    const response = await fetch(request.address, {
      method: form.dataset.method, headers: request.headers, body: request.body,
      credentials: "omit", cache: "no-store", redirect: "manual", referrerPolicy: "no-referrer", signal: abort.signal,
    });
    const body = await response.text();
    answer(response, body, Math.round(performance.now() - begun));
  } catch (error) {
    explain("offline");
  } finally {
    clearTimeout(timeout);
  }
}

function explain(key) {
  setText(byId("try-problem"), text(key));
  show(byId("try-problem"));
}

const valueOf = (id) => (byId(id) ? byId(id).value.trim() : "");

// requestOf makes the request that the form describes.
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = { Accept: "application/json" };
  for (const field of form.querySelectorAll("[data-in]")) {
    const name = field.dataset.name;
    const value = field.value.trim();
    if (field.dataset.in === "path") path = path.replace("{" + name + "}", encodeURIComponent(value));
    else if (value === "") continue;
    else if (field.dataset.in === "query") query.set(name, value);
    else headers[name] = value;
  }
  const key = valueOf("try-key");
  if (form.dataset.credential === "key" && key) headers.Authorization = "Bearer " + key;
  const secret = valueOf("try-secret");
  if (secret) headers.Authorization = "Basic " + btoa(encodeURIComponent(key) + ":" + encodeURIComponent(secret));
  const body = byId("try-body") ? byId("try-body").value : undefined;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const asked = query.toString();
  return { address: path + (asked ? "?" + asked : ""), headers, body };
}

function answer(response, body, milliseconds) {
  const status = byId("answer-status");
  setText(status, String(response.status));
  status.classList.toggle("failed", !response.ok);
  setText(byId("answer-time"), milliseconds + " ms");
  setText(byId("answer-headers"), Array.from(response.headers, (header) => header.join(": ")).join("\n"));
  setText(byId("answer-body"), pretty(body));
  show(byId("try-answer"));
  byId("try-answer").scrollIntoView({ block: "nearest" });
}

function pretty(body) {
  try {
    body = JSON.stringify(JSON.parse(body), null, 2);
  } catch (error) {
    // It is shown as it came.
  }
  return body.length > shownBytes ? body.slice(0, shownBytes) + "\n" + text("cut") : body;
}
