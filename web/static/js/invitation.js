// The page of an invitation: its link is the page's own address. What is behind the "#" no server sees, so the form brings it.

import { byId } from "./page.js";

const link = byId("link");
if (/^#[\w-]{43}$/.test(location.hash)) {
  link.value = location.href;
  link.closest(".field").hidden = true;
}
