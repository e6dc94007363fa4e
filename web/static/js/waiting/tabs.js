// Other tabs with the same login, and whether cookies work.

// takeOver makes this tab the login's: the newest wins, because it is the one that is looked at.
// lost is called when another tab takes over; never in a browser without locks.
export function takeOver(loginKeyId, lost) {
  if (!navigator.locks) return;
  navigator.locks.request(`griot ${loginKeyId}`, { steal: true }, () => new Promise(() => {})).catch(lost);
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
