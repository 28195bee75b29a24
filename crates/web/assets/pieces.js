// The drawings that the server makes of things, of the ground that they stand on, and of the lines between squares.

const SVG = "http://www.w3.org/2000/svg";
const parser = new DOMParser();
/** The drawings that are known by their text. */
const known = new Map();
const MOST = 400;

/** A drawing of `width` by `height` from the server's elements. */
export function drawing(elements, width, height) {
  const text = `<svg xmlns="${SVG}" viewBox="0 0 ${width} ${height}">${elements}</svg>`;
  if (known.size > MOST) known.clear();
  if (!known.has(text)) known.set(text, parser.parseFromString(text, "image/svg+xml").documentElement);
  const made = document.importNode(known.get(text), true);
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** A token as a drawing. */
export function piece(token) {
  const made = drawing(token.picture, 100, 100);
  made.classList.add("piece");
  if (token.percent !== null) {
    made.classList.add("uncertain");
    // A piece that is hardly possible can still be seen.
    made.style.setProperty("--share", 0.25 + (0.6 * token.percent) / 100);
  }
  return made;
}

/** A whole state as one drawing, without the names of columns and rows. */
export function whole(board, squares, lines) {
  const token = ([x, y], { picture, size, at }) =>
    `<g transform="translate(${x - 50 + at[0]} ${y - 50 + at[1]}) scale(${size / 100})">${picture}</g>`;
  const tokens = squares.flatMap((tokens, square) => tokens.map((one) => token(board.places[square], one)));
  const made = drawing(board.ground + (lines ?? "") + tokens.join(""), board.width, board.height);
  for (const name of made.querySelectorAll(":scope > text")) name.remove();
  return made;
}
