// A state in a small picture: its boards without buttons, or its facts.

import { parity } from "./board.js";
import { el } from "./dom.js";
import { piece } from "./pieces.js";
import { beside } from "./side.js";

/** The boards of a state, small and without buttons. */
function small(picture, board, roles, colours) {
  const rows = Math.max(board.rows.length, 1);
  const holes = new Set(board.holes);
  const per = board.columns.length * rows;
  const half = parity(board);
  return board.boards.map((_, number) => {
    const grid = el("span", { class: "small", "aria-hidden": "true" });
    grid.style.setProperty("--columns", board.columns.length);
    for (let at = 0; at < per; at++) {
      const square = number * per + at;
      const place = Math.floor(at / board.columns.length) + (at % board.columns.length);
      const odd = half === null ? board.chequered && place % 2 === 1 : place % 2 !== half;
      const cell = el("span", {
        class: `square${odd ? " odd" : ""}${holes.has(square) && half === null ? " hole" : ""}`,
      });
      cell.append(
        ...(picture.squares[square] ?? []).slice(0, 1).map((token) => piece(token, roles, colours)),
      );
      grid.append(cell);
    }
    return grid;
  });
}

/** The elements of a small picture. */
export function thumbnail(picture, board, roles, colours) {
  if (board.kind !== "table") return small(picture, board, roles, colours);
  return [el("span", { class: "small facts" }, ...beside({ ...picture, extent: null }, true))];
}
