// Addresses that the page sends people to.

// isSafe reports whether an address can be opened without running as a script.
export function isSafe(address) {
  try {
    return !["javascript:", "data:", "vbscript:", "blob:", "file:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

// readDeeplink returns the parts of https://wa.me/<number>?text=….
export function readDeeplink(deeplink) {
  const url = new URL(deeplink);
  return { to: url.pathname.replace(/\D/g, ""), text: url.searchParams.get("text") || "" };
}

// phonesAddress is the page of the virtual phones with that message prepared.
export function phonesAddress(phonesUrl, deeplink) {
  const url = new URL(phonesUrl, location.href);
  const { to, text } = readDeeplink(deeplink);
  url.searchParams.set("to", to);
  url.searchParams.set("text", text);
  return url.href;
}
