// Requests the login's status every two seconds, more slowly while there is no
// answer, and at once when the page becomes visible again: a phone's browser is
// suspended while its owner is in WhatsApp.

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

  // now sends a request at once. One that is under way is aborted, because it may have been suspended with the page.
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

  // accept handles an answer that came by the stream, in place of the request that is under way.
  accept(answer) {
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
