// A state in a small picture: its board as one drawing, or its facts.

import { el } from "./dom.js";
import { whole } from "./pieces.js";
import { beside } from "./side.js";

/** The elements of a small picture. */
export function thumbnail(picture, board) {
  if (board.kind !== "table") {
    return [
      el("span", { class: "small", "aria-hidden": "true" }, whole(board, picture.squares, picture.lines)),
    ];
  }
  return [el("span", { class: "small facts" }, ...beside({ ...picture, extent: null }, true))];
}
