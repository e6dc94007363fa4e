// Receives the login's status as soon as it changes. Polls go on beside it, so the
// page works without a stream too.

export class Stream {
  constructor(path, onStatus) {
    this.path = path;
    this.onStatus = onStatus;
    this.stopped = false;
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
    this.source?.close();
    this.source = undefined;
  }

  stop() {
    this.stopped = true;
    this.close();
  }
}
