// The moves so far, and the other lines that were tried.

import { el, moveText } from "./dom.js";

/** The states of a session, in brief, and how they follow each other. */
export class Tree {
  constructor() {
    this.nodes = [];
  }

  add({ from, nodes }) {
    nodes.forEach((node, at) => {
      this.nodes[from + at] = node;
    });
  }

  /** The numbers of the states from the first one to `tip`. */
  line(tip) {
    const line = [];
    for (let at = tip; at !== null && at !== undefined; at = this.nodes[at]?.parent) line.unshift(at);
    return line;
  }

  /** The last states of lines that `line` does not go along. */
  others(line) {
    const parents = new Set(this.nodes.map((node) => node.parent));
    const on = new Set(line);
    return this.nodes.map((_, at) => at).filter((at) => !parents.has(at) && !on.has(at));
  }
}

/** What a joint move says to people: what only waits is left out, if somebody does not. */
export function jointText(moves) {
  const active = moves.filter((move) => move.startsWith("("));
  return (active.length ? active : moves).map(moveText).join(" · ");
}

/** The text of a step for people. In a match of hidden information: the own move and the percepts after it. */
function stepText({ moves, seen }) {
  if (!seen) return jointText(moves);
  return `${jointText(moves)} → ${seen.map(moveText).join(", ") || "saw nothing"}`;
}

export class History {
  /** Draws in `element`; `go` gets the number of a state to look at. */
  constructor(element, go) {
    this.go = go;
    this.list = el("ol", { class: "moves", start: 0, tabindex: 0, "aria-label": "moves" });
    this.others = el("div", { class: "lines" });
    element.append(this.list, this.others);
  }

  show(tree, line, view) {
    const key = JSON.stringify([line.at(-1), line.length, view, tree.nodes.length]);
    if (key === this.drawn) return;
    this.drawn = key;
    const entry = (number, step) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: "step",
            "aria-current": number === view ? "step" : null,
            onclick: () => this.go(number),
          },
          step === 0 ? "start" : stepText(tree.nodes[number]),
        ),
      );
    this.list.replaceChildren(...line.map(entry));
    const other = (tip) => {
      const path = tree.line(tip);
      const apart = path.findIndex((number, step) => number !== line[step]);
      const text = `${apart}. ${jointText(tree.nodes[path[apart]].moves)} … (${path.length - apart} steps)`;
      return el("button", { type: "button", class: "chip", onclick: () => this.go(tip) }, text);
    };
    const tips = tree.others(line).slice(-12);
    this.others.replaceChildren(...(tips.length ? [el("h3", {}, "Other lines"), ...tips.map(other)] : []));
    // When the frame is laid out anyway, not twice.
    requestAnimationFrame(() => {
      const current = this.list.querySelector("[aria-current]");
      if (current) this.list.scrollTop = current.parentElement.offsetTop - this.list.clientHeight / 2;
    });
  }
}
