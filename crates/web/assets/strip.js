// A playout in small pictures, with what playouts refute flagged on it.

import { el, moveText, words } from "./dom.js";
import { whole } from "./pieces.js";
import { beside } from "./side.js";

export class Strip {
  /** Draws in `element`; `look` gets the joint moves that lead to a picture. */
  constructor(element, again, look) {
    this.look = look;
    this.pictures = el("ol", { class: "strip" });
    this.note = el("p", { class: "reason", role: "status" });
    this.refuted = el("ul", { class: "refuted" });
    element.append(
      el(
        "div",
        { class: "group start" },
        el("h2", {}, "A random playout"),
        el("button", { type: "button", class: "chip", onclick: again }, "Another one"),
      ),
      this.pictures,
      this.note,
      this.refuted,
    );
  }

  /** Shows the playout of an answer; `flag` is what its last state refutes. */
  show(answer, flag) {
    const last = answer.pictures.at(-1)?.step;
    let before = -1;
    const items = answer.pictures.flatMap((picture) => {
      const { step, moves, terminal, goals } = picture;
      const gap = step > before + 1 ? [el("li", { class: "gap", "aria-label": "and so on" }, "…")] : [];
      before = step;
      const made = moves.map((move) => moveText(move)).join(" · ");
      const end = terminal ? goals.map((goal) => goal ?? "–").join(" : ") : null;
      const flagged = flag && step === last;
      const drawing =
        answer.board.kind === "table"
          ? [el("span", { class: "small facts" }, ...beside({ ...picture, extent: null }, true))]
          : [el("span", { class: "small" }, whole(answer.board, picture.squares, picture.lines))];
      const button = el(
        "button",
        {
          type: "button",
          class: `picture${flagged ? " flagged" : ""}`,
          title: flagged ? flag : made,
          "aria-label": `state ${step}${made ? `: ${made}` : ""}${end ? `, over: ${end}` : ""}${flagged ? `, ${flag}` : ""}`,
          onclick: () => this.look(answer.moves, step),
        },
        ...drawing,
        el("span", { class: "caption" }, flagged ? "⚑ " : "", `${step}`, end ? ` (${end})` : ""),
      );
      return [...gap, el("li", {}, button)];
    });
    this.pictures.replaceChildren(...items);
    this.pictures.scrollLeft = flag ? this.pictures.scrollWidth : 0;
    this.note.textContent = flag ?? answer.problem ?? "";
    this.note.classList.toggle("bad", Boolean(flag ?? answer.problem));
  }

  /** Lists what playouts refute; `show` gets what is chosen. */
  list({ playouts, refuted }, show) {
    const item = (one) =>
      el(
        "li",
        {},
        el("button", { type: "button", class: "chip", onclick: () => show(one) }, "⚑ Show"),
        ` ${words(one.code.replaceAll("-", " "))}: ${one.message}`,
      );
    const none = el("li", { class: "reason" }, `${playouts} playouts refute nothing.`);
    this.refuted.replaceChildren(...(refuted.length ? refuted.map(item) : [none]));
  }

  fail(text) {
    this.refuted.replaceChildren(el("li", { class: "bad" }, text));
  }
}
