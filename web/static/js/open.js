// Redeems the token of a link that the operator was given. It stands in the fragment, which is sent to nobody and leaves the address here.

import { byId } from "./page.js";

const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", location.pathname + location.search);
  byId("token").value = token;
  byId("open").submit();
}
