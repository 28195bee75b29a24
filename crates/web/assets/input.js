// From clicks to moves: which squares can be chosen next, and which moves are meant.

/** Whether a move that takes a whole column or row is meant by `square`. */
function isOn(move, square, shape) {
  const place = square % (shape.columns * shape.rows);
  const column = place % shape.columns;
  const row = Math.floor(place / shape.columns);
  return (move.column === null || move.column === column) && (move.row === null || move.row === row);
}

function follows(move, chosen, shape) {
  if (move.kind === "line") return chosen.length <= 1 && chosen.every((square) => isOn(move, square, shape));
  return move.squares !== undefined && chosen.every((square, at) => move.squares[at] === square);
}

/**
 * What `chosen` squares, in order, mean among `moves`: the moves that are meant when nothing more
 * is clicked, and the squares that can be clicked next.
 */
export function read(moves, chosen, shape) {
  const open = moves.filter((move) => follows(move, chosen, shape));
  const isWhole = (move) =>
    move.kind === "line" ? chosen.length === 1 : move.squares.length === chosen.length;
  const next = new Set();
  for (const move of open) {
    if (move.kind === "line" && chosen.length === 0) {
      for (let square = 0; square < shape.count; square++) if (isOn(move, square, shape)) next.add(square);
    } else if (move.squares && move.squares.length > chosen.length) {
      next.add(move.squares[chosen.length]);
    }
  }
  return { meant: chosen.length ? open.filter(isWhole) : [], next };
}
