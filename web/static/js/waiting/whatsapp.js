// A LIVE login: the person sends the words from WhatsApp, on this phone or, by the code to scan, on another.

import { call } from "../call.js";
import { busy, byId, setText, show } from "../page.js";
import { isSafe, phonesAddress, readDeeplink } from "./links.js";

const phonesUrl = document.body.dataset.phonesUrl || "";
const onComputer = !matchMedia("(pointer: coarse)").matches; // WhatsApp is on another device

export class WhatsApp {
  // onProblem is called with the error of a click, or with null when there is no receiver.
  constructor(loginKeyId, onProblem) {
    this.loginKeyId = loginKeyId;
    this.onProblem = onProblem;
    this.shown = false;
    this.deeplink = "";
  }

  show(status) {
    if (!this.shown) {
      this.shown = true;
      this.setUp();
    }
    // After a reload the links are requested again; activating twice changes nothing.
    if (status.status === "ACTIVATED" && phonesUrl && !this.deeplink && !this.asked) this.activate().catch(() => {});
  }

  setUp() {
    show(byId("live"));
    show(byId("how"), !onComputer && !phonesUrl);
    show(byId("how-phones"), phonesUrl !== "");
    byId("whatsapp").classList.toggle("green", !onComputer && !phonesUrl);
    byId("whatsapp").addEventListener("click", (event) => busy(event.currentTarget, () => this.open(() => this.deeplink, onComputer)));
    show(byId("phones"), phonesUrl !== "");
    byId("phones").addEventListener("click", (event) => busy(event.currentTarget, () => this.open(() => phonesAddress(phonesUrl, this.deeplink), true)));
    if (onComputer) this.showCode();
  }

  showCode() {
    const image = byId("qr-image");
    const visible = (loaded) => {
      show(byId("qr"), loaded);
      show(byId("how-qr"), loaded && !phonesUrl);
      show(byId("how"), !loaded && !phonesUrl);
      byId("login").classList.toggle("with-qr", loaded);
    };
    image.addEventListener("load", () => visible(true));
    image.addEventListener("error", () => visible(false));
    image.src = `/authorize/qr.svg?loginKeyId=${encodeURIComponent(this.loginKeyId)}`;
  }

  async activate() {
    this.asked = true;
    const { deeplink } = await call("POST", "/authorize/activate", { loginKeyId: this.loginKeyId });
    if (!deeplink || !isSafe(deeplink)) return;
    this.deeplink = deeplink;
    setText(byId("receiver-number"), `+${readDeeplink(deeplink).to}`);
    show(byId("receiver"));
    const again = byId("deeplink");
    again.href = deeplink;
    if (onComputer) again.target = "_blank";
    show(again, phonesUrl === "");
    if (phonesUrl) byId("phones-link").href = phonesAddress(phonesUrl, deeplink);
    show(byId("phones-link"), phonesUrl !== "");
    show(byId("links"));
  }

  // open opens an address that is known only after the activation.
  async open(address, inNewTab) {
    try {
      if (!this.deeplink) await this.activate();
      if (!this.deeplink) this.onProblem(null);
      else if (inNewTab) window.open(address(), "_blank", "noopener");
      else location.href = address();
    } catch (error) {
      this.onProblem(error);
    }
  }
}
