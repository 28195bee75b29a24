// Moving a piece by dragging it, with a mouse, a pen or a finger.

/** How far a pointer moves before that is a drag and no click, in pixels. */
const FAR = 6;

export class Drag {
  /**
   * Watches the squares in `element`. `board` says what can be lifted (`canLift`), and is told what is lifted and where
   * it is dropped (`lift`, `drop`).
   */
  constructor(element, board) {
    this.board = board;
    this.element = element;
    this.from = null;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", () => this.end());
    // The click that follows a drag means nothing.
    element.addEventListener(
      "click",
      (event) => {
        if (this.dragged) event.stopPropagation();
        this.dragged = false;
      },
      true,
    );
  }

  /** The square under the pointer; undefined if there is none. */
  square(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
    return found && this.element.contains(found) ? Number(found.dataset.square) : undefined;
  }

  down(event) {
    this.dragged = false;
    const square = this.square(event);
    const isFree = event.isPrimary && event.button === 0 && square !== undefined;
    if (!isFree || !this.board.canLift(square)) return;
    this.from = { square, x: event.clientX, y: event.clientY };
  }

  move(event) {
    if (!this.from) return;
    const { square, x, y } = this.from;
    if (!this.piece) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < FAR) return;
      this.dragged = true;
      this.element.setPointerCapture(event.pointerId);
      this.board.lift(square);
      this.piece = this.board.cells[square].lastElementChild;
      this.piece?.classList.add("dragged");
    }
    this.piece?.style.setProperty("transform", `translate(${event.clientX - x}px, ${event.clientY - y}px)`);
    event.preventDefault();
  }

  up(event) {
    if (!this.from) return;
    const { square } = this.from;
    const lifted = this.dragged;
    this.end();
    if (!lifted) return;
    this.board.drop(square, this.square(event));
    setTimeout(() => {
      this.dragged = false;
    });
  }

  end() {
    this.piece?.classList.remove("dragged");
    this.piece?.style.removeProperty("transform");
    this.piece = null;
    this.from = null;
  }
}
