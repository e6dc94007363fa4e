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
