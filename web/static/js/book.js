// The pages of the documentation: each block of code gets a button that copies it.

import { setUpCopying } from "./copy.js";
import { byId } from "./page.js";

document.querySelectorAll(".snippet").forEach((snippet, i) => {
  const button = byId("part-copy").content.firstElementChild.cloneNode(true);
  const code = snippet.getElementsByTagName("code")[0];
  code.id = "code-" + i;
  button.dataset.copy = code.id;
  snippet.firstElementChild.append(button);
});
setUpCopying(() => {});
