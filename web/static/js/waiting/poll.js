// How the page follows its login: it polls, listens to a stream, and shares it with other tabs.

import { call, newAbort } from "../call.js";

const interval = 2000;
const longest = 15000;

// Poll requests the login's status every two seconds, more slowly while there is no
// answer, and at once when the page becomes visible again: a phone's browser is
// suspended while its owner is in WhatsApp.
export class Poll {
  constructor(path, onAnswer, onFailure) {
    this.path = path;
    this.onAnswer = onAnswer;
    this.onFailure = onFailure;
    this.failures = 0;
    this.stopped = true;
    document.addEventListener("visibilitychange", (event) => this.wake(event));
    addEventListener("pageshow", (event) => this.wake(event));
    addEventListener("online", (event) => this.wake(event));
  }

  start() {
    this.stopped = false;
    this.now();
  }

  wake(event) {
    const fresh = event.type === "pageshow" && !event.persisted;
    if (!fresh && document.visibilityState === "visible") this.now();
  }

  // now sends a request at once. One that is under way is aborted, because it may have been suspended with the page.
  async now() {
    if (this.stopped) return;
    this.giveUp();
    const asking = newAbort();
    this.asking = asking;
    let pause = interval;
    try {
      const answer = await call("GET", this.path, undefined, asking);
      if (asking !== this.asking) return;
      this.failures = 0;
      this.onAnswer(answer);
    } catch (error) {
      if (asking !== this.asking) return;
      this.failures += 1;
      pause = Math.max(error.retryAfter * 1000 || 0, Math.min(longest, interval * Math.pow(1.5, this.failures)));
      this.onFailure(error);
    }
    if (!this.stopped) this.timer = setTimeout(() => this.now(), pause);
  }

  // accept handles an answer that came by the stream, in place of the request that is under way.
  accept(answer) {
    if (this.stopped) return;
    this.giveUp();
    this.failures = 0;
    this.timer = setTimeout(() => this.now(), interval);
    this.onAnswer(answer);
  }

  giveUp() {
    clearTimeout(this.timer);
    if (this.asking) this.asking.abort();
    this.asking = undefined;
  }

  stop() {
    this.stopped = true;
    this.giveUp();
  }
}

// Stream receives the login's status as soon as it changes. Polls go on beside it, so the
// page works without a stream too.
export class Stream {
  constructor(path, onStatus) {
    this.path = path;
    this.onStatus = onStatus;
    this.stopped = typeof EventSource !== "function";
    // Closed while the page is hidden, so that the browser can cache the page, and no connection is held.
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.opened && this.open());
  }

  open() {
    if (this.stopped || this.source) return;
    this.opened = true;
    this.source = new EventSource(this.path);
    this.source.addEventListener("status", (event) => this.onStatus(JSON.parse(event.data)));
  }

  close() {
    if (this.source) this.source.close();
    this.source = undefined;
  }

  stop() {
    this.opened = false;
    this.close();
  }
}

// Turn decides which tab of a login goes on: the newest, because it is the one that is looked at. When it is closed, another
// one goes on. In a browser without locks, each tab does.
export class Turn {
  // lost is called when another tab takes over, won when this tab goes on again, and left when another tab has gone to the
  // application, so that this one must not go there, too: the application would get the code twice.
  constructor(loginKeyId, { lost, won, left }) {
    this.name = `griot ${loginKeyId}`;
    this.lost = lost;
    this.won = won;
    if (typeof BroadcastChannel === "function") this.channel = new BroadcastChannel(this.name);
    if (this.channel) this.channel.onmessage = left;
    if (!navigator.locks) return;
    this.take();
    // The browser might have kept the page without its lock.
    addEventListener("pageshow", (event) => event.persisted && this.take());
  }

  take() {
    this.hold({ steal: true });
  }

  // hold keeps the lock until the tab is closed or another tab takes it, and then waits for it.
  hold(options) {
    const request = (this.request = {});
    const given = () => {
      if (this.request !== request) return undefined;
      this.won(); // a page that the browser has kept might wait
      return new Promise(() => {});
    };
    navigator.locks.request(this.name, options, given).catch(() => {
      if (this.request !== request) return; // this tab has taken its own lock
      this.lost();
      if (this.channel) this.hold({});
    });
  }

  // leave tells the other tabs that this one goes to the application.
  leave() {
    if (this.channel) this.channel.postMessage("left");
  }
}

// cookiesWork reports whether the browser keeps a cookie of this site at all.
export function cookiesWork() {
  try {
    document.cookie = "griot_probe=1; SameSite=Lax; Path=/";
    const kept = document.cookie.indexOf("griot_probe=1") >= 0;
    document.cookie = "griot_probe=; Max-Age=0; SameSite=Lax; Path=/";
    return kept;
  } catch (error) {
    return false;
  }
}
