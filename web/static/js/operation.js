// The page of an operation: copy buttons, and the form that tries the operation.

import { setUpCopying } from "./copy.js";
import { byId, show } from "./page.js";
import { setUpTrying } from "./docs/try.js";

for (const button of document.querySelectorAll("[data-copy]")) show(button);
setUpCopying(() => {});
if (byId("try")) setUpTrying(byId("try"));
