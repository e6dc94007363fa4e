// The time that a login has left. It is computed from the server's times, because
// this machine's clock may be wrong by hours.

import { byId, setText } from "../page.js";

const lifetime = 90000;
let end = 0;
let ticking = 0;
let ticked = () => {};

export function onTick(listener) {
  ticked = listener;
}

// setClock starts the clock, or corrects it. The times were right at a time of the page's own clock.
export function setClock(expiresAt, serverTime, at = performance.now()) {
  const left = Date.parse(expiresAt) - Date.parse(serverTime);
  if (Number.isNaN(left)) return;
  end = at + left;
  if (!ticking) ticking = setInterval(tick, 250);
  byId("clock").classList.remove("blank");
  tick();
}

export function stopClock() {
  clearInterval(ticking);
  ticking = 0;
  byId("clock").classList.add("blank");
}

function tick() {
  const left = Math.max(0, end - performance.now());
  const seconds = Math.ceil(left / 1000);
  setText(byId("clock-text"), `${Math.floor(seconds / 60)}:${seconds % 60 < 10 ? "0" : ""}${seconds % 60}`);
  byId("clock-hand").setAttribute("stroke-dashoffset", String(1 - Math.min(1, left / lifetime)));
  byId("clock").classList.toggle("late", seconds <= 15);
  ticked(seconds);
}
