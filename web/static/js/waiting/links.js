// Addresses that the page sends people to.

// isSafe reports whether an address leads to an application and doesn't run as a script.
export function isSafe(address) {
  try {
    return !["javascript:", "data:", "vbscript:", "blob:", "file:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

// readDeeplink takes https://wa.me/<number>?text=… apart.
export function readDeeplink(deeplink) {
  const url = new URL(deeplink);
  return { to: url.pathname.replace(/\D/g, ""), text: url.searchParams.get("text") || "" };
}

// phonesAddress is where the virtual phones have that message ready to be sent.
export function phonesAddress(phonesUrl, deeplink) {
  const url = new URL(phonesUrl, location.href);
  const { to, text } = readDeeplink(deeplink);
  url.searchParams.set("to", to);
  url.searchParams.set("text", text);
  return url.href;
}
