// Arrows and rings over the boards: a hint, and the line that an engine expects.

import { svg } from "./dom.js";

/** The length of an arrow's head, and how far from the middle of its square it ends, in parts of a square. */
const HEAD = 0.3;

export class Arrows {
  /** Draws over `element`, whose squares are `cells`. */
  constructor(element, cells) {
    this.element = element;
    this.cells = cells;
    this.shown = [];
    this.drawing = svg("svg", { class: "arrows", "aria-hidden": "true" });
    element.append(this.drawing);
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(element);
  }

  close() {
    this.watcher.disconnect();
  }

  /** Shows moves, each as its squares, a colour, and whether it is one of a line behind the first. */
  show(moves) {
    const text = JSON.stringify(moves);
    if (text === this.text) return;
    this.text = text;
    this.shown = moves;
    this.draw();
  }

  draw() {
    const place = this.element.getBoundingClientRect();
    this.drawing.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
    const middle = (square) => {
      const box = this.cells[square].getBoundingClientRect();
      return { x: box.x - place.x + box.width / 2, y: box.y - place.y + box.height / 2, size: box.width };
    };
    this.drawing.replaceChildren(
      ...this.shown
        .filter(({ squares }) => squares.length && squares.every((square) => this.cells[square]))
        .map((move) => this.one(move, move.squares.map(middle))),
    );
  }

  one({ colour, faint }, points) {
    const group = svg("g", { class: faint ? "arrow faint" : "arrow" });
    if (colour) group.style.setProperty("--arrow", colour);
    const { size } = points[0];
    if (points.length === 1) {
      const [{ x, y }] = points;
      group.append(svg("circle", { cx: x, cy: y, r: size * 0.36, "stroke-width": size * 0.1 }));
      return group;
    }
    const [before, last] = points.slice(-2);
    const length = Math.hypot(last.x - before.x, last.y - before.y) || 1;
    const along = { x: (last.x - before.x) / length, y: (last.y - before.y) / length };
    const head = size * HEAD;
    const back = { x: last.x - along.x * head, y: last.y - along.y * head };
    const way = [...points.slice(0, -1), back].map(({ x, y }) => `${x},${y}`).join(" ");
    const side = { x: -along.y * head * 0.6, y: along.x * head * 0.6 };
    const tip = `${last.x},${last.y} ${back.x + side.x},${back.y + side.y} ${back.x - side.x},${back.y - side.y}`;
    group.append(
      svg("polyline", { points: way, "stroke-width": size * 0.13 }),
      svg("polygon", { points: tip, class: "head" }),
    );
    return group;
  }
}
