// A playout in small pictures, with what playouts refute flagged on it.

import { el, many, moveText } from "./dom.js";
import { page } from "./problems.js";
import { thumbnail } from "./thumbnail.js";

export class Strip {
  /** Draws in `element`; `look` gets the joint moves that lead to a picture, `jump` the line of a rule. */
  constructor(element, again, look, jump) {
    this.look = look;
    this.jump = jump;
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
      const drawing = thumbnail(picture, answer.board);
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
  list({ playouts, refuted, harmless, neverFired, omitted }, show) {
    const item = (one) =>
      el(
        "li",
        {},
        el("button", { type: "button", class: "chip", onclick: () => show(one) }, "⚑ Show"),
        ` ${one.message}`,
        page(one),
      );
    const none = el("li", { class: "reason" }, `${playouts} playouts refute nothing.`);
    this.refuted.replaceChildren(
      ...(refuted.length ? refuted.map(item) : [none]),
      ...harmless.map((one) =>
        el("li", { class: "reason" }, ...item(one).childNodes, el("p", {}, `It is ${one.harmless}.`)),
      ),
      ...(neverFired.length ? [this.unused(playouts, neverFired, omitted)] : []),
    );
  }

  /** The rules that no playout used. */
  unused(playouts, rules, omitted) {
    const place = (line, text) =>
      el("button", { type: "button", class: "line", onclick: () => this.jump(line) }, text);
    const item = ({ line, rule, conditionLine, condition }) =>
      el(
        "li",
        {},
        place(line, `line ${line}`),
        " ",
        el("code", {}, rule),
        " fails at ",
        el("code", {}, condition),
        conditionLine === line ? null : [" ", place(conditionLine, `line ${conditionLine}`)],
      );
    const count = rules.length + omitted;
    const title = `${many(count, "rule")} never fired in ${many(playouts, "playout")}; the first condition that failed:`;
    return el(
      "li",
      { class: "reason" },
      el(
        "details",
        { id: "unused", open: rules.length < 6 },
        el("summary", {}, title),
        el("ul", { class: "uses" }, rules.map(item), omitted ? el("li", {}, `and ${omitted} more`) : null),
      ),
    );
  }

  /** Brings what playouts have shown into view. */
  reveal() {
    const unused = this.refuted.querySelector("details");
    if (unused) unused.open = true;
    this.refuted.scrollIntoView({ block: "nearest" });
  }

  fail(text) {
    this.refuted.replaceChildren(el("li", { class: "bad" }, text));
  }
}
