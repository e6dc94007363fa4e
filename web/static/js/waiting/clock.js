// The time that a login has left. It is measured from what the server says, never
// from this machine's time of day, which may be wrong by hours.

import { byId, say, show } from "../page.js";

const lifetime = 90000;
let end = 0;
let ticking = 0;
let late = () => {};

export function onLate(heard) {
  late = heard;
}

// setClock starts the clock, or corrects it.
export function setClock(expiresAt, serverTime) {
  const left = Date.parse(expiresAt) - Date.parse(serverTime);
  if (Number.isNaN(left)) return;
  end = performance.now() + left;
  if (!ticking) ticking = setInterval(tick, 250);
  show(byId("clock"));
  tick();
}

export function stopClock() {
  clearInterval(ticking);
  ticking = 0;
  show(byId("clock"), false);
}

function tick() {
  const left = Math.max(0, end - performance.now());
  const seconds = Math.ceil(left / 1000);
  say(byId("clock-text"), `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
  byId("clock-hand").setAttribute("stroke-dashoffset", String(1 - Math.min(1, left / lifetime)));
  byId("clock").classList.toggle("late", seconds <= 15);
  late(seconds);
}
