// The forms for who takes the roles of a match, and how strong the engines are.

import { el, words } from "./dom.js";

const KINDS = [
  ["person", "Person"],
  ["engine", "Engine"],
  ["random", "Random moves"],
  ["remote", "Player elsewhere"],
];

/**
 * The strengths that have names, each with the iterations of a move: about four times as many each time, since a
 * search gains about as much with every doubling.
 */
export const LEVELS = [
  ["beginner", 20],
  ["easy", 80],
  ["medium", 320],
  ["hard", 1280],
  ["expert", 5120],
];

/** What an engine of full strength thinks, in seconds a move. */
const FULL = 2;

/** The strength of an engine in words. */
export function strength({ iterations, seconds }) {
  const level = LEVELS.find(([, count]) => count === iterations);
  if (level) return level[0];
  if (iterations) return `${iterations.toLocaleString("en")} iterations`;
  return seconds === FULL ? "full strength" : `${seconds} s`;
}

/** The form for who takes one role. */
class SeatForm {
  constructor(name, seat, allowed) {
    this.kind = el(
      "select",
      { "aria-label": `who plays ${name}`, onchange: () => this.change() },
      KINDS.filter(([value]) => allowed.remote || value !== "remote").map(([value, text]) =>
        el("option", { value, selected: value === seat.kind }, text),
      ),
    );
    this.level = el(
      "select",
      { "aria-label": `strength of ${name}`, onchange: () => this.change() },
      LEVELS.map(([level]) => el("option", { value: level }, level)),
      el("option", { value: "full" }, "full strength"),
      el("option", { value: "seconds" }, "seconds a move"),
      el("option", { value: "iterations" }, "iterations a move"),
    );
    this.amount = el("input", {
      type: "number",
      "aria-label": `amount for ${name}`,
      value: 1,
      min: 0.1,
      max: allowed.longest,
      step: "any",
      required: true,
    });
    this.url = el("input", {
      type: "text",
      placeholder: "http://host:9147",
      "aria-label": `address of ${name}`,
    });
    this.longest = allowed.longest;
    const label = el("span", { class: "role" }, words(name));
    this.element = el("div", { class: "seat" }, label, this.kind, this.level, this.amount, this.url);
    this.fill(seat);
    this.change();
  }

  /** Shows the player `seat`. */
  fill(seat) {
    this.kind.value = seat.kind;
    this.url.value = seat.url ?? "";
    const level = LEVELS.find(([, count]) => count === seat.iterations)?.[0];
    const isFull = !seat.iterations && (seat.seconds ?? FULL) === FULL;
    this.level.value = level ?? (isFull ? "full" : seat.iterations ? "iterations" : "seconds");
    this.amount.value = seat.iterations ?? seat.seconds ?? 1;
  }

  change() {
    const isEngine = this.kind.value === "engine";
    const level = this.level.value;
    const counted = isEngine && (level === "seconds" || level === "iterations");
    this.level.hidden = !isEngine;
    this.amount.hidden = !counted;
    this.amount.disabled = !counted;
    this.url.hidden = this.kind.value !== "remote";
    this.amount.max = level === "iterations" ? 1e9 : this.longest;
    if (level === "iterations" && Number(this.amount.value) < 10) this.amount.value = 1000;
    if (level === "seconds" && Number(this.amount.value) > this.longest) this.amount.value = 1;
  }

  read() {
    const kind = this.kind.value;
    if (kind === "remote") return { kind, url: this.url.value.trim() };
    if (kind !== "engine") return { kind };
    const amount = Number(this.amount.value);
    const iterations = LEVELS.find(([level]) => level === this.level.value)?.[1];
    if (iterations) return { kind, iterations };
    if (this.level.value === "iterations") return { kind, iterations: Math.round(amount) };
    return { kind, seconds: Math.min(this.level.value === "full" ? FULL : amount, this.longest) };
  }
}

/** The forms for all roles of a game that players take. `seats` are the players that are shown at first. */
export function seatForms(roles, allowed, seats) {
  const players = roles.filter((role) => !role.nature);
  const usual = (at) => ({ kind: at === 0 ? "person" : "engine" });
  return players.map((role, at) => new SeatForm(role.name, seats?.[at] ?? usual(at), allowed));
}
