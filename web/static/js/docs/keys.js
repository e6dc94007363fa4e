// Which keys may be used to try an operation: those of tests only.

const testPrefix = { key: "svc_test_", client: "cl_test_" };

// isLive reports whether a text names a key that really sends, or a client of real people.
export const isLive = (words) => /svc_(live|proj)_|cl_live_/.test(words);

// refusal returns why a key is refused ("live" or "other"), or "".
export function refusal(credential, key) {
  const prefix = testPrefix[credential];
  if (!prefix) return "";
  if (isLive(key)) return "live";
  return key.startsWith(prefix) ? "" : "other";
}
