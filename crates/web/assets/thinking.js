// What the engine thinks: candidate moves, the score over time and over the match, the line.

import { el, say, svg } from "./dom.js";
import { plot } from "./plot.js";

/** The moves of the joint moves `steps` that name squares, in their order. */
export function lineOf(steps) {
  return steps.flatMap(({ squares }) =>
    squares.flatMap((own, role) => (own.length ? [{ squares: own, role }] : [])),
  );
}

export class Thinking {
  /** Draws in `element`; `point` gets moves to be shown on the board, each as its squares and its role. */
  constructor(element, roles, colours, point) {
    this.roles = roles;
    this.colours = colours;
    this.point = point;
    this.samples = [];
    this.about = null;
    this.summary = el("p", { class: "summary" }, "Nothing has been thought yet.");
    this.rows = el("tbody");
    this.now = el("div", { class: "chart" });
    this.match = el("div", { class: "chart" });
    this.line = el("p", { class: "principal" });
    this.heads = el("tr");
    element.append(
      this.summary,
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, this.heads), this.rows)),
      el("h3", {}, "Expected line"),
      this.line,
      el("h3", {}, "Score while it thinks"),
      this.now,
      el("h3", {}, "Score over the match"),
      this.match,
    );
    this.now.append(plot("score while the engine thinks", []));
    this.match.append(plot("score over the match", []));
  }

  /** A thing that shows moves on the board while it is hovered or focused. */
  pointing(element, moves) {
    const on = () => this.point(moves);
    const off = () => this.point([]);
    for (const name of ["mouseenter", "focus"]) element.addEventListener(name, on);
    for (const name of ["mouseleave", "blur"]) element.addEventListener(name, off);
    return element;
  }

  show(thought) {
    if (!thought) return;
    const text = JSON.stringify(thought);
    if (text === this.shown) return;
    this.shown = text;
    this.role = thought.role;
    const key = `${thought.node} ${thought.role} ${thought.hint}`;
    if (key !== this.about) {
      this.about = key;
      this.samples = [];
    }
    const best = thought.candidates[0];
    if (best?.score !== null && best !== undefined) this.samples.push([thought.elapsed, best.score]);
    if (this.samples.length > 600) this.samples = this.samples.filter((_, at) => at % 2 === 0);
    const role = this.roles[thought.role];
    const who = thought.hint ? `Advice for ${role}` : `Engine for ${role}`;
    const count = thought.iterations.toLocaleString("en");
    const guess = thought.guess && thought.done ? ": little more than a guess" : "";
    say(this.summary, `${who}: ${count} iterations in ${thought.elapsed.toFixed(1)} s${guess}`);
    // Where several roles choose at once, the engine may draw its move.
    const isDrawn = thought.candidates.some(({ probability }) => probability !== null);
    const heads = ["Move", "Score", "Range", "Visits", ...(isDrawn ? ["Drawn"] : [])];
    this.heads.replaceChildren(...heads.map((text) => el("th", { scope: "col" }, text)));
    this.rows.replaceChildren(...thought.candidates.map((candidate) => this.row(candidate)));
    this.line.replaceChildren(
      ...thought.principal.map((step, number) => {
        const at = step.squares.findIndex((squares) => squares.length);
        return this.pointing(
          el("button", { type: "button", class: "chip" }, at < 0 ? step.words.join(" · ") : step.words[at]),
          lineOf(thought.principal.slice(0, number + 1)),
        );
      }),
    );
    const colour = this.colours[thought.role];
    this.now.replaceChildren(plot("score while the engine thinks", [{ points: this.samples, colour }]));
  }

  row(candidate) {
    const bar = svg("svg", {
      viewBox: "0 0 100 12",
      class: "bar",
      "aria-hidden": "true",
      preserveAspectRatio: "none",
    });
    const { score, low, high, probability } = candidate;
    bar.append(svg("rect", { x: 0, y: 4, width: 100, height: 4, rx: 2, class: "track" }));
    if (score !== null) {
      bar.append(
        svg("rect", { x: low, y: 2, width: Math.max(high - low, 1), height: 8, class: "range" }),
        svg("rect", { x: Math.min(score, 98), y: 0, width: 2, height: 12, class: "mean" }),
      );
    }
    const shown =
      candidate.proven !== null ? `${candidate.proven} proved` : score === null ? "–" : score.toFixed(1);
    const title = score === null ? "" : `95 %: ${low.toFixed(1)} to ${high.toFixed(1)}`;
    const row = el(
      "tr",
      { tabindex: 0 },
      el("td", { class: "move" }, candidate.words),
      el("td", { class: "number", title }, shown),
      el("td", { class: "bars", title }, bar),
      el("td", { class: "number" }, candidate.visits.toLocaleString("en")),
    );
    if (probability !== null)
      row.append(el("td", { class: "number" }, `${(probability * 100).toFixed(0)} %`));
    return this.pointing(row, [{ squares: candidate.squares, role: this.role }]);
  }

  /** The scores over the match: of each role, by the number of the step. */
  over(scores) {
    const text = JSON.stringify(scores);
    if (text === this.drawn) return;
    this.drawn = text;
    const lines = this.roles.map((_, role) => ({
      colour: this.colours[role],
      points: scores.map((of, step) => [step, of[role] ?? null]).filter(([, score]) => score !== null),
    }));
    this.match.replaceChildren(plot("score over the match", lines));
  }
}
