// The preview of a tenant's waiting page follows what is typed and chosen.

import { byId } from "./page.js";

const form = byId("appearance");

form.addEventListener("input", () => {
  const data = new FormData(form);
  const accent = data.get("accent");
  for (const look of document.querySelectorAll(".look")) {
    if (accent) look.dataset.accent = accent;
    else delete look.dataset.accent;
    look.querySelector("[data-name]").textContent = data.get("name");
  }
});

// A file that is too large is not sent, which could take minutes.
byId("logo").addEventListener("change", ({ target }) => {
  const file = target.files[0];
  target.setCustomValidity(file && file.size > target.dataset.most ? target.dataset.larger : "");
});
