// Takes the person back to the application as soon as the page is there.

import { byId } from "./page.js";

byId("return").submit();
