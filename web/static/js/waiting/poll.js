// Asks for the login's status every two seconds, more slowly while no answer
// comes, and at once when the page is looked at again: a phone's browser sleeps
// while its owner is in WhatsApp.

import { call } from "../call.js";

const interval = 2000;
const longest = 15000;

export class Poll {
  constructor(path, onAnswer, onFailure) {
    this.path = path;
    this.onAnswer = onAnswer;
    this.onFailure = onFailure;
    this.failures = 0;
    this.stopped = false;
    this.wake = this.wake.bind(this);
    document.addEventListener("visibilitychange", this.wake);
    addEventListener("pageshow", this.wake);
    addEventListener("online", this.wake);
  }

  wake(event) {
    const fresh = event.type === "pageshow" && !event.persisted;
    if (!fresh && document.visibilityState === "visible") this.now();
  }

  // now asks at once. A question that is still open may have gone to sleep with the page, so it is given up.
  async now() {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.asking?.abort();
    const asking = new AbortController();
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
      pause = Math.max(error.retryAfter * 1000 || 0, Math.min(longest, interval * 1.5 ** this.failures));
      this.onFailure(error);
    }
    if (!this.stopped) this.timer = setTimeout(() => this.now(), pause);
  }

  // take takes an answer that came by another way, in place of one that is being waited for.
  take(answer) {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.asking?.abort();
    this.asking = undefined;
    this.failures = 0;
    this.timer = setTimeout(() => this.now(), interval);
    this.onAnswer(answer);
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.wake);
    removeEventListener("pageshow", this.wake);
    removeEventListener("online", this.wake);
  }
}
