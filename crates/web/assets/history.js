// The moves so far, and the other lines that were tried.

import { el, many, moveText } from "./dom.js";

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

/** The moves of a step that people are told, each with its role: those of roles that had a choice, or else that do. */
function told(tree, number) {
  const node = tree.nodes[number];
  const before = tree.nodes[node.parent];
  const text = (role) => node.words?.[role] ?? moveText(node.moves[role]);
  let roles = before?.choosing ?? [];
  if (!roles.length) roles = node.moves.flatMap((move, role) => (move.startsWith("(") ? [role] : []));
  if (!roles.length) roles = node.moves.map((_, role) => role);
  return roles.map((role) => ({ role, text: text(role) }));
}

export class History {
  /** Draws in `element`; `go` gets the number of a state to look at. */
  constructor(element, colours, go) {
    this.colours = colours;
    this.go = go;
    this.list = el("ol", { class: "moves", tabindex: 0, "aria-label": "moves" });
    this.others = el("div", { class: "lines" });
    element.append(this.list, this.others);
  }

  show(tree, line, view) {
    const key = JSON.stringify([line.at(-1), line.length, view, tree.nodes.length]);
    if (key === this.drawn) return;
    this.drawn = key;
    const steps = line.slice(1).map((number) => ({ number, moves: this.movesOf(tree, number) }));
    // Two roles that move by turns have a column each.
    const byTurns =
      this.colours.length === 2 && steps.every(({ moves }) => moves.length === 1 && moves[0].role !== null);
    this.list.classList.toggle("turns", byTurns);
    const items = [el("li", { class: "begin" }, this.step(line[0], view, ["start"]))];
    let row = 0;
    let last = 1;
    steps.forEach(({ number, moves }, at) => {
      const column = byTurns ? moves[0].role : 0;
      if (column <= last || !byTurns) {
        row += 1;
        items.push(el("li", { class: "count", "aria-hidden": "true" }, `${byTurns ? row : at + 1}`));
      }
      last = column;
      const item = el("li", { class: column === 1 ? "second" : "first" }, this.step(number, view, moves));
      items.push(item);
    });
    this.list.replaceChildren(...items);
    const other = (tip) => {
      const path = tree.line(tip);
      const apart = path.findIndex((number, step) => number !== line[step]);
      const length = many(path.length - apart, "step");
      const text = `${apart}. ${jointText(tree.nodes[path[apart]].moves)} … (${length})`;
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

  /** The moves of a step. In a match of hidden information: the own move and the percepts after it. */
  movesOf(tree, number) {
    const { moves, seen } = tree.nodes[number];
    if (!seen) return told(tree, number);
    return [{ role: null, text: `${jointText(moves)} → ${seen.map(moveText).join(", ") || "saw nothing"}` }];
  }

  /** The button of a state; `moves` led to it. */
  step(number, view, moves) {
    const part = (move) => {
      if (typeof move === "string") return [move];
      const dot = el("span", { class: "dot", "aria-hidden": "true" });
      if (move.role === null) return [move.text];
      dot.style.setProperty("--fill", this.colours[move.role]);
      return [dot, el("span", {}, move.text)];
    };
    return el(
      "button",
      {
        type: "button",
        class: "step",
        "aria-current": number === view ? "step" : null,
        onclick: () => this.go(number),
      },
      moves.flatMap(part),
    );
  }
}
