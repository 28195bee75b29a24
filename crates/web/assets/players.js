// Who plays, whose turn it is, how long each has thought, and with what the engines search.

import { el, say, words } from "./dom.js";
import { strength } from "./seats.js";

const KINDS = { person: "you", engine: "engine", random: "random", remote: "elsewhere", elsewhere: "" };

function seatText(seat, reasoner) {
  if (!seat) return "chance";
  if (seat.kind !== "engine") return KINDS[seat.kind];
  const name = reasoner.name === "datalog" ? "engine on the interpreter (weak)" : "engine";
  return `${name}, ${strength(seat)}`;
}

/** A time in ms, as on a clock. */
function clock(time) {
  const seconds = Math.max(0, Math.floor(time / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * The time in ms that each role has taken along the states `line`: that of a step counts for the roles that had a
 * choice. Null where the server does not tell times.
 */
export function times(tree, line, roles) {
  const used = roles.map(() => 0);
  for (let at = 1; at < line.length; at++) {
    const [before, after] = [tree.nodes[line[at - 1]], tree.nodes[line[at]]];
    if (before?.time === undefined || after?.time === undefined) return null;
    for (const role of before.choosing) used[role] += after.time - before.time;
  }
  return used;
}

export class Players {
  constructor(roles, colours) {
    this.roles = roles;
    this.list = el("ul", { class: "players", "aria-label": "players" });
    this.note = el("p", { class: "reason machine" });
    const pill = (name, role) => {
      const dot = el("span", { class: "dot" });
      dot.style.setProperty("--fill", colours[role]);
      const parts = {
        who: el("span", { class: "who" }),
        clock: el("span", { class: "clock", title: `time of ${words(name)}` }),
        mark: el("span", { class: "mark" }),
      };
      const item = el(
        "li",
        {},
        dot,
        el("span", { class: "name" }, words(name)),
        parts.who,
        parts.clock,
        parts.mark,
      );
      return { item, ...parts };
    };
    this.pills = roles.map(pill);
    this.list.append(...this.pills.map(({ item }) => item));
    // Clocks go on while nothing is drawn.
    this.timer = setInterval(() => this.tick(), 1000);
  }

  close() {
    clearInterval(this.timer);
  }

  /** Brings the players up to date. `active` is the role that chooses, `used` the times of `times`. */
  show({ status, node, active, isTip, used }) {
    this.used = used;
    this.running = isTip && !node.terminal && !status.held ? (node.choosing ?? []) : [];
    if (this.shownTip !== status.tip) [this.shownTip, this.since] = [status.tip, Date.now()];
    this.pills.forEach(({ item, who, mark }, role) => {
      const seat = status.seats[role];
      const chosen = isTip && status.chosen[role] && node.legal[role].length > 1;
      const thinks = status.working === role && isTip;
      const goal = node.terminal ? node.goals[role] : null;
      item.classList.toggle("active", role === active || thinks);
      say(who, seatText(seat, status.reasoner));
      who.title = status.reasoner.why ?? "";
      say(mark, goal !== null ? `${goal}` : chosen ? "✓" : thinks ? "…" : "");
      mark.title = chosen ? "has chosen" : "";
    });
    this.running = this.running.filter((role) => !status.chosen[role]);
    this.tick();
    this.tellMachine(status);
  }

  tick() {
    this.pills.forEach(({ clock: shown }, role) => {
      shown.hidden = !this.used;
      if (!this.used) return;
      const more = this.running.includes(role) ? Date.now() - this.since : 0;
      say(shown, clock(this.used[role] + more));
    });
  }

  /** Tells with what the engines search. */
  tellMachine({ seats, reasoner }) {
    const engines = seats.some((seat) => seat?.kind === "engine");
    const isWeak = reasoner.name === "datalog";
    this.note.hidden = !engines;
    this.note.classList.toggle("weak", isWeak);
    say(
      this.note,
      isWeak
        ? `The interpreter plays: expect weak moves${reasoner.why ? ` (${reasoner.why})` : ""}.`
        : "The engines search on the network of the game.",
    );
  }
}
