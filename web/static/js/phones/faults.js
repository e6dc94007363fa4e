// Faults: which outcome the next sends on a channel have.

import { call } from "../call.js";
import { byId, setText, show, text } from "../page.js";
import { channelName, channels, cloneTemplate } from "./channels.js";

const interval = 3000;
const forms = new Map();
const loginOptions = [["ask-for-number", "askForNumber"], ["confirm-sign-in", "confirmSignIn"]]; // the checkbox and the option

export function setUpFaults() {
  for (const channel of channels) {
    const form = cloneTemplate("fault");
    setText(form.querySelector("h3"), channelName(channel));
    form.setAttribute("aria-label", channelName(channel));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const { outcome, count } = form.elements;
      const order = { outcome: outcome.value, count: outcome.value === "none" ? 0 : Number(count.value) || 1 };
      await call("PUT", `/dev/faults/${channel}`, order).then(refresh, (error) => showNote(form, `${text("failed")} ${error.message}`));
    });
    byId("faults").append(form);
    forms.set(channel, form);
  }
  byId("deduplicate").addEventListener("change", (event) => setOption({ deduplicate: event.target.checked }));
  for (const [id, name] of loginOptions) byId(id).addEventListener("change", (event) => setOption({ [name]: event.target.checked }));
  setInterval(() => { if (document.visibilityState === "visible") refresh(); }, interval);
  refresh();
}

async function setOption(change) {
  await call("PUT", "/dev/phones-options", change).catch(() => {});
  await refresh();
}

// refresh shows the faults that are set; phones.js reports a lost connection.
async function refresh() {
  await Promise.all([refreshOptions(), refreshFaults()]).catch(() => {});
}

async function refreshOptions() {
  const options = await call("GET", "/dev/phones-options");
  byId("deduplicate").checked = options.deduplicate;
  for (const [id, name] of loginOptions) {
    byId(id).checked = Boolean(options[name]);
    show(byId(`${id}-part`), name in options);
  }
}

async function refreshFaults() {
  const { faults } = await call("GET", "/dev/faults");
  for (const fault of faults) if (forms.has(fault.channel)) showFault(forms.get(fault.channel), fault);
}

function showFault(form, { outcome, count }) {
  const option = [...form.elements.outcome.options].find(({ value }) => value === outcome);
  if (form.dataset.outcome !== outcome) form.elements.outcome.value = outcome;
  form.dataset.outcome = outcome;
  const quiet = outcome === "none" || !count;
  showNote(form, quiet ? text("fault_none") : `${text("fault_left")} ${option ? option.textContent : outcome} × ${count}`);
  form.classList.toggle("armed", !quiet);
}

function showNote(form, words) {
  setText(form.querySelector(".fault-now"), words);
}
