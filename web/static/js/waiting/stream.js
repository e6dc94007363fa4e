// Hears at once when the login changes. It only spares the next poll its wait: when
// the stream breaks, is refused or sleeps with the page, the polls go on as they are.

export class Stream {
  constructor(path, onStatus) {
    this.path = path;
    this.onStatus = onStatus;
    this.stopped = false;
    // Closed while the page is away, so that it can be kept as it is and holds no connection.
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
