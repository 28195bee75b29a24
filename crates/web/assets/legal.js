// The list of legal moves, which can be searched, and from which a move can be made.

import { el, moveText } from "./dom.js";

/** So many legal moves are listed at once. */
const LISTED = 200;

export class LegalMoves {
  /**
   * `play` gets the move that is chosen, `point` moves to be shown on the board. `again` is called when the list is to be
   * brought up to date.
   */
  constructor(play, point, again) {
    this.play = play;
    this.point = point;
    this.drawn = [];
    this.filter = el("input", {
      type: "search",
      placeholder: "type a move, Enter plays it (/)",
      "aria-label": "legal moves that contain",
      oninput: () => again(),
      onkeydown: (event) => {
        if (event.key === "Enter") this.moves.querySelector("button")?.click();
      },
    });
    this.moves = el("div", { class: "legal" });
    this.element = el(
      "details",
      { class: "panel", ontoggle: () => again() },
      el("summary", {}, "Legal moves"),
      this.filter,
      this.moves,
    );
  }

  focus() {
    this.element.open = true;
    this.filter.focus();
  }

  /** Lists the moves `legal` of all roles, or of the role that chooses. */
  list(legal, roles, role) {
    if (!this.element.open) return;
    const text = this.filter.value.trim().toLowerCase();
    // A list that would be the same is not made anew, so that its buttons keep the focus.
    const drawn = [legal, role, text];
    if (drawn.every((part, at) => part === this.drawn[at])) return;
    this.drawn = drawn;
    const of = role >= 0 ? [role] : roles.map((_, at) => at);
    const item = (at, move) => {
      const shown = role >= 0 ? moveText(move.move) : `${roles[at]}: ${moveText(move.move)}`;
      const point = (moves) => () => this.point(moves);
      return el(
        "button",
        {
          type: "button",
          class: "chip",
          disabled: role < 0,
          onclick: () => this.play(move.move),
          onmouseenter: point([{ squares: move.squares ?? [], role: at }]),
          onmouseleave: point([]),
        },
        shown,
      );
    };
    const items = of.flatMap((at) =>
      legal[at]
        .filter(({ move }) => moveText(move).toLowerCase().includes(text))
        .map((move) => item(at, move)),
    );
    const more = items.length > LISTED ? [el("span", {}, `and ${items.length - LISTED} more`)] : [];
    this.moves.replaceChildren(...items.slice(0, LISTED), ...more);
  }
}
