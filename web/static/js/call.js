// Calls to this service, with JSON both ways.

const timeoutMs = 10000;

// CallError is an answer that isn't a success, or (status 0) no answer at all.
export class CallError extends Error {
  constructor(status, message, retryAfter) {
    super(message || String(status));
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export async function call(method, path, body, abort = new AbortController()) {
  const timeout = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: body === undefined ? { Accept: "application/json" } : { Accept: "application/json", "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: abort.signal,
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new CallError(response.status, answer.message || answer.error_description, Number(response.headers.get("Retry-After")) || 0);
  } catch (error) {
    throw error instanceof CallError ? error : new CallError(0, "", 0);
  } finally {
    clearTimeout(timeout);
  }
}
