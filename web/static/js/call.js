// Calls to this service, with JSON both ways.

const timeoutMs = 10000;

// CallError is an answer that isn't a success, or (status 0) no answer at all.
export class CallError extends Error {
  constructor(status, message, retryAfter, code) {
    super(message || String(status));
    this.status = status;
    this.retryAfter = retryAfter;
    this.code = code;
  }
}

// newAbort is an AbortController; a browser without it waits for its own time to end.
export function newAbort() {
  return typeof AbortController === "function" ? new AbortController() : { abort() {} };
}

export async function call(method, path, body, abort = newAbort()) {
  const timeout = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: abort.signal,
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new CallError(response.status, answer.message || answer.error_description, Number(response.headers.get("Retry-After")) || 0, answer.error_code || answer.code);
  } catch (error) {
    throw error instanceof CallError ? error : new CallError(0, "", 0, "");
  } finally {
    clearTimeout(timeout);
  }
}
