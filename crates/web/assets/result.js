// The end of a match: who got what, and another match.

import * as api from "./api.js";
import { el, toast, words } from "./dom.js";

/** More deciding squares than these are marked on the board only. */
const MOST_NAMED = 12;

/** What the goals mean for the only person who plays; empty if there is none. */
export function verdict(goals, seats) {
  const rivals = seats.map((_, role) => role).filter((role) => seats[role]);
  const people = rivals.filter((role) => seats[role].kind === "person");
  if (people.length !== 1) return "";
  const own = goals[people[0]];
  if (rivals.length === 1) return own === 100 ? "Solved!" : "";
  const best = Math.max(...rivals.map((role) => goals[role]));
  if (own < best) return "You lose.";
  return rivals.filter((role) => goals[role] === best).length > 1 ? "A draw." : "You win!";
}

/** The player of the seats of a new match, each one seat further. */
function swapped(seats) {
  return seats.map((_, at) => seats[(at + seats.length - 1) % seats.length]);
}

export class Result {
  constructor(about, colours, session) {
    this.about = about;
    this.colours = colours;
    this.session = session;
    /** The board on which what decided the match is marked, if there is one. */
    this.board = null;
    this.squares = [];
    this.element = el("section", { class: "panel result", "aria-label": "result", hidden: true });
  }

  /** Shows the result of the state `node`; null for a match that goes on. */
  show(node, status) {
    this.element.hidden = !node;
    this.board?.decide(node && this.shown === node.number ? this.squares : []);
    if (!node || this.shown === node.number) return;
    this.shown = node.number;
    this.squares = [];
    this.because = null;
    if (this.board) this.decide(node.number);
    const rivals = this.about.roles.map((_, role) => role).filter((role) => status.seats[role]);
    const best = Math.max(...rivals.map((role) => node.goals[role]));
    const goal = (role) => {
      const dot = el("span", { class: "dot" });
      dot.style.setProperty("--fill", this.colours[role]);
      const isBest = rivals.length > 1 && node.goals[role] === best;
      return el(
        "li",
        { class: isBest ? "best" : null },
        dot,
        el("span", {}, words(this.about.roles[role])),
        el("b", {}, `${node.goals[role]}`),
      );
    };
    const button = (id, text, seats) =>
      el("button", { type: "button", id, onclick: () => this.again(seats) }, text);
    const seats = status.seats.filter(Boolean);
    const winners = rivals
      .filter((role) => node.goals[role] === best)
      .map((role) => words(this.about.roles[role]));
    const who = rivals.length > 1 ? (winners.length === 1 ? `${winners[0]} wins` : "A draw") : "The end";
    const mayPlay = !status.watched;
    this.element.replaceChildren(
      ...[
        el("p", { class: "verdict" }, verdict(node.goals, status.seats) || `${who}.`),
        this.because,
        el("ul", { class: "goals" }, rivals.map(goal)),
        mayPlay
          ? el(
              "div",
              { class: "group" },
              button("rematch", "Rematch", seats),
              seats.length > 1 ? button("swap", "Swap sides", swapped(seats)) : null,
              el("a", { class: "button", href: "#" }, "Other games"),
            )
          : null,
      ].filter(Boolean),
    );
  }

  /** Marks what decided the match that ends with the state `number`, as soon as the server has found it. */
  async decide(number) {
    this.because = el("p", { class: "because", hidden: true });
    const { squares } = await this.session.deciding(number).catch(() => ({ squares: [] }));
    if (this.shown !== number) return;
    this.squares = squares;
    if (!this.element.hidden) this.board.decide(squares);
    this.because.hidden = !squares.length || squares.length > MOST_NAMED;
    this.because.textContent = `Decided by ${squares.map((square) => this.board.name(square)).join(", ")}.`;
  }

  /** Opens a match of the same game. */
  async again(seats) {
    try {
      const { id } = await api.open({ again: this.about.id, seats });
      location.hash = `s=${id}`;
    } catch (error) {
      toast(error.message);
    }
  }
}
