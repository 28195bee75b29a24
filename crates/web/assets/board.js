// The boards: buttons on a ground that the server draws, made once and then brought up to date.

import { Arrows } from "./arrows.js";
import { el } from "./dom.js";
import { Drag } from "./drag.js";
import { drawing, piece } from "./pieces.js";

/** So many squares that can be chosen first are marked without being pointed at. */
const FEW = 6;

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Board {
  /**
   * Draws on `element`; `click` gets the number of each square that is chosen. With `ahead`, which gets a square that can
   * be chosen and gives those that can be chosen after it, pieces can be dragged, and squares show where they lead.
   */
  constructor(element, about, click, ahead) {
    this.model = about.board;
    const { columns, rows, boards } = this.model;
    this.shape = {
      columns: columns.length,
      rows: Math.max(rows.length, 1),
      count: columns.length * Math.max(rows.length, 1) * boards.length,
    };
    this.holes = new Set(this.model.holes);
    this.cells = [];
    this.click = click;
    this.ahead = ahead;
    this.drawn = [];
    this.next = new Set();
    this.chosen = [];
    this.isFlipped = false;
    element.replaceChildren(this.make());
    this.element = element;
    this.lay();
    element.addEventListener("keydown", (event) => this.key(event));
    this.arrows = new Arrows(element, this.cells);
    if (ahead) {
      new Drag(element, this);
      const over = (event) => this.preview(Number(event.target.closest?.("[data-square]")?.dataset.square));
      for (const name of ["pointerover", "focusin"]) element.addEventListener(name, over);
      for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => this.preview(-1));
    }
  }

  close() {
    this.arrows.close();
  }

  /** Turns the boards so that the men of `role` stand below, if those of the others stand above. */
  seat({ squares }, role) {
    const rows = (isOwn) => {
      const found = squares.flatMap((tokens, square) => {
        const men = tokens.filter(({ owner }) => owner !== null && isOwn(owner));
        return men.length ? [this.model.places[square][1]] : [];
      });
      return found.reduce((sum, row) => sum + row, 0) / found.length;
    };
    this.flip(rows((owner) => owner === role) < rows((owner) => owner !== role) - 100);
  }

  /** Shows where the square `square` leads, if nothing is chosen yet. */
  preview(square) {
    const ahead = !this.chosen.length && this.next.has(square) ? this.ahead(square) : new Set();
    this.cells.forEach((cell, at) => {
      cell.classList.toggle("ahead", ahead.has(at));
    });
  }

  /** Whether the piece on a square can be dragged. */
  canLift(square) {
    const starts = this.next.has(square) || this.chosen.at(-1) === square;
    const isMan = starts && this.cells[square].childElementCount > 0;
    return isMan && (this.chosen.length > 0 || this.ahead(square).size > 0);
  }

  lift(square) {
    if (this.chosen.at(-1) !== square) this.click(square);
  }

  /** The piece from `from` is dropped on `to`; anywhere else than where it can go, it goes back. */
  drop(from, to) {
    if (to !== undefined && this.next.has(to) && to !== from) this.click(to);
    else if (this.chosen.at(-1) === from) this.click(from);
  }

  /** The ground, the lines, and a button for each square. */
  make() {
    const { ground, width, height, cell, boards } = this.model;
    const board = el("div", {
      class: "board",
      role: "grid",
      "aria-label": "board",
      "data-cell": cell,
    });
    board.style.setProperty("--columns", width / 100);
    board.style.setProperty("--rows", height / 100);
    this.lines = el("div", { class: "lines" });
    board.append(el("div", { class: "ground" }, drawing(ground, width, height)), this.lines);
    // The square that Tab leads to: a hole cannot have the focus.
    let first = 0;
    while (this.holes.has(first)) first++;
    boards.forEach((_, number) => {
      for (let row = 0; row < this.shape.rows; row++) {
        const line = el("div", { role: "row", class: "row" });
        for (let column = 0; column < this.shape.columns; column++) {
          const square = (number * this.shape.rows + row) * this.shape.columns + column;
          const hole = this.holes.has(square);
          this.cells[square] = el("button", {
            type: "button",
            role: "gridcell",
            class: "square",
            tabindex: square === first ? 0 : -1,
            "data-square": square,
            disabled: hole,
            hidden: hole && !this.model.grounded,
            onclick: () => this.click(square),
          });
          line.append(this.cells[square]);
        }
        board.append(line);
      }
    });
    this.board = board;
    return board;
  }

  /** Puts every square in its place. */
  lay() {
    const { width, height, places } = this.model;
    this.cells.forEach((cell, square) => {
      const [x, y] = places[square];
      const [left, top] = this.isFlipped ? [width - x, height - y] : [x, y];
      cell.style.left = `${(100 * (left - 50)) / width}%`;
      cell.style.top = `${(100 * (top - 50)) / height}%`;
      cell.style.width = `${10000 / width}%`;
      cell.style.height = `${10000 / height}%`;
    });
    this.board.classList.toggle("flipped", this.isFlipped);
  }

  /** Turns the boards by half a turn, or back. */
  flip(on) {
    if (on === this.isFlipped) return;
    this.isFlipped = on;
    this.lay();
    this.arrows.draw();
  }

  /** The name of a square. */
  name(square) {
    const { columns, rows, boards } = this.model;
    const place = square % (this.shape.columns * this.shape.rows);
    const board = boards[Math.floor(square / (this.shape.columns * this.shape.rows))];
    const parts = [board, columns[place % this.shape.columns], rows[Math.floor(place / this.shape.columns)]];
    return parts.filter(Boolean).join(" ");
  }

  key(event) {
    const step = STEPS[event.key];
    const square = Number(event.target.dataset?.square);
    if (!step || Number.isNaN(square)) return;
    event.preventDefault();
    event.stopPropagation();
    const per = this.shape.columns * this.shape.rows;
    const base = square - (square % per);
    let row = Math.floor((square % per) / this.shape.columns);
    let column = square % this.shape.columns;
    const way = this.isFlipped ? -1 : 1;
    do {
      row += way * step[0];
      column += way * step[1];
      if (row < 0 || column < 0 || row >= this.shape.rows || column >= this.shape.columns) return;
    } while (this.holes.has(base + row * this.shape.columns + column));
    this.focus(base + row * this.shape.columns + column);
  }

  focus(square) {
    for (const cell of this.cells) cell.tabIndex = -1;
    this.cells[square].tabIndex = 0;
    this.cells[square].focus();
  }

  /** Shows the state `node`; `from` is the state that was shown before. */
  show(node, from) {
    const last = new Set(node.last.flat());
    // Places are read before anything changes: afterwards they would have to be laid out anew.
    const slides = from !== null && node.parent === from ? this.slides(node.last) : [];
    if (this.drawnLines !== node.lines) {
      this.drawnLines = node.lines;
      this.lines.replaceChildren(drawing(node.lines ?? "", this.model.width, this.model.height));
    }
    node.squares.forEach((tokens, square) => {
      const cell = this.cells[square];
      const text = JSON.stringify(tokens);
      if (this.drawn[square] !== text) {
        this.drawn[square] = text;
        cell.replaceChildren(...tokens.map((token) => this.token(token)));
      }
      cell.classList.toggle("last", last.has(square));
      const share = ({ percent }) => (percent === null ? "" : ` (${percent} %)`);
      const names = tokens.map((token) => `${token.name || "mark"}${share(token)}`).join(", ");
      const hole = this.holes.has(square);
      this.text(square, hole ? "hole" : names || "empty", last.has(square) ? "last move" : "");
    });
    for (const [to, frames] of slides) this.slide(to, frames);
  }

  /** A token as a drawing; with its probability, if it is not certain. */
  token(token) {
    const shown = piece(token);
    const share = token.percent === null ? null : el("span", { class: "share" }, `${token.percent} %`);
    const thing = share ? el("span", { class: "maybe" }, shown, share) : shown;
    thing.style.left = `${token.at[0]}%`;
    thing.style.top = `${token.at[1]}%`;
    thing.style.width = `${token.size}%`;
    thing.style.height = `${token.size}%`;
    return thing;
  }

  text(square, what, more) {
    const label = `${this.name(square)}: ${what}${more ? `, ${more}` : ""}`;
    if (this.cells[square].getAttribute("aria-label") !== label) {
      this.cells[square].setAttribute("aria-label", label);
    }
  }

  /** The squares that pieces of the last move come to, and the way there. */
  slides(moves) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return [];
    const way = (squares) => {
      const to = this.cells[squares.at(-1)];
      const [a, b] = [this.cells[squares[0]].getBoundingClientRect(), to.getBoundingClientRect()];
      return [to, [{ transform: `translate(${a.x - b.x}px, ${a.y - b.y}px)` }, { transform: "none" }]];
    };
    return moves.filter((squares) => squares.length > 1).map(way);
  }

  /** Moves the piece on the square `to` from where it came. */
  slide(to, frames) {
    // A square to which a move leads may be empty after it.
    const sliding = to.lastElementChild?.animate(frames, { duration: 160, easing: "ease-out" });
    if (!sliding) return;
    // Above the squares that it passes.
    to.classList.add("moving");
    sliding.onfinish = () => to.classList.remove("moving");
  }

  /** Marks what can be clicked (`next`), what has been (`chosen`), and what is pointed at. */
  mark(next, chosen) {
    this.next = next;
    this.chosen = chosen;
    // A few squares are marked at once; of many, only the one under the pointer, or those that follow a choice.
    this.element.classList.toggle("quiet", Boolean(this.ahead) && !chosen.length && next.size > FEW);
    this.preview(-1);
    this.cells.forEach((cell, square) => {
      cell.classList.toggle("next", next.has(square));
      cell.classList.toggle("chosen", chosen.includes(square));
      // A finger that begins on a piece drags it; elsewhere it scrolls the page.
      cell.classList.toggle("lift", Boolean(this.ahead) && this.canLift(square));
      if (!cell.disabled) cell.setAttribute("aria-selected", String(chosen.includes(square)));
    });
  }

  /** Marks the squares that decided the match. */
  decide(squares) {
    this.cells.forEach((cell, square) => {
      cell.classList.toggle("deciding", squares.includes(square));
    });
  }

  point(squares) {
    this.cells.forEach((cell, square) => {
      cell.classList.toggle("pointed", squares.includes(square));
    });
  }
}
