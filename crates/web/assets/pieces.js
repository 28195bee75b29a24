// Pieces as drawings: chess and draughts men, stones, crosses and rings, and for everything else a
// plate with its name.

import { svg } from "./dom.js";

// In a box of 100 by 100, resting on y = 88.
const CHESS = {
  king: "M46 8h8v8h8v8h-8v8c14-4 28 4 26 20-1 10-8 15-10 20H30c-2-5-9-10-10-20-2-16 12-24 26-20v-8h-8v-8h8zM28 76h44l4 12H24z",
  queen:
    "M50 12a6 6 0 0 1 3 11l9 20 12-17a6 6 0 1 1 6 3l-8 43H28l-8-43a6 6 0 1 1 6-3l12 17 9-20a6 6 0 0 1 3-11zM28 76h44l4 12H24z",
  rook: "M26 16h12v9h7v-9h10v9h7v-9h12v22l-8 7v23H34V45l-8-7zM28 72h44l4 16H24z",
  bishop:
    "M50 8a6 6 0 0 1 4 10c12 9 19 21 17 32-1 8-5 12-9 16l4 6H34l4-6c-4-4-8-8-9-16-2-11 5-23 17-32a6 6 0 0 1 4-10zM47 30v8h-7v7h7v12h6V45h7v-7h-7v-8zM28 76h44l4 12H24z",
  knight:
    "M38 12l8 8c20 2 32 18 30 44l-2 8H32c-2-14 8-20 14-30-6 5-14 6-18 12l-10-4-2-8 14-22zM38 28a4 4 0 1 0 .1 0zM28 76h46l4 12H24z",
  pawn: "M50 20a14 14 0 0 1 9 25l6 5v5h-7c0 8 4 14 10 18H32c6-4 10-10 10-18h-7v-5l6-5a14 14 0 0 1 9-25zM28 76h44l4 12H24z",
};

const FIGURES = { "♔♚": "king", "♕♛": "queen", "♖♜": "rook", "♗♝": "bishop", "♘♞": "knight", "♙♟": "pawn" };
const CROWN = "M30 62l-4-28 14 12 10-18 10 18 14-12-4 28z";

const COLOURS = {
  white: "#f7f1e3",
  black: "#23272b",
  red: "#d0393f",
  blue: "#2f6fd0",
  green: "#2f8f57",
  yellow: "#e8b923",
  orange: "#e07b28",
  purple: "#8a4fc0",
  pink: "#d9629c",
  brown: "#8a5a3a",
  gold: "#d4a526",
  grey: "#8b9298",
  gray: "#8b9298",
};
const PALETTE = ["#2f6fd0", "#e07b28", "#2f8f57", "#8a4fc0", "#d0393f", "#18959c", "#d9629c", "#8a5a3a"];

/** The colour that a name of the rules says, if it says one. */
function named(name) {
  const text = name.toLowerCase();
  if (COLOURS[text]) return COLOURS[text];
  return Object.entries(COLOURS).find(([colour]) => text.startsWith(colour))?.[1];
}

/** The colour of each role. */
export function roleColours(roles) {
  const own = roles.map(named);
  // Names of colours count only if they tell the roles apart.
  const apart = own.every((colour) => colour) && new Set(own).size === roles.length;
  return roles.map((_, number) => (apart ? own[number] : PALETTE[number % PALETTE.length]));
}

function isDark(colour) {
  const part = (at) => Number.parseInt(colour.slice(at, at + 2), 16);
  return 0.3 * part(1) + 0.59 * part(3) + 0.11 * part(5) < 140;
}

function label(text, size) {
  const shown = svg("text", {
    x: 50,
    y: 51,
    "text-anchor": "middle",
    "dominant-baseline": "central",
    "font-size": size,
    class: "label",
  });
  shown.textContent = text;
  return shown;
}

const stone = (radius = 36) => [
  svg("ellipse", { cx: 50, cy: 54, rx: radius, ry: radius, class: "shade" }),
  svg("circle", { cx: 50, cy: 50, r: radius, class: "body" }),
  svg("circle", { cx: 50, cy: 50, r: radius - 8, class: "rim" }),
];

function parts(token, roles) {
  const text = token.label;
  const name = token.name.toLowerCase();
  // Those who write crosses and rings see them, even where they are the names of roles.
  if (name === "x") return [svg("path", { d: "M24 24L76 76M76 24L24 76", class: "stroke" })];
  if (name === "o") return [svg("circle", { cx: 50, cy: 50, r: 27, class: "stroke" })];
  const figure = Object.entries(FIGURES).find(([glyphs]) => glyphs.includes(text));
  if (figure) return [svg("path", { d: CHESS[figure[1]], class: "body figure" })];
  if ("⛁⛃".includes(text)) return [...stone(), svg("path", { d: CROWN, class: "crown" })];
  if ("○●⛀⛂".includes(text)) return stone();
  if (token.mark) return stone(token.layer === 0 ? 30 : 16);
  if (COLOURS[name] || roles.some((role) => role.toLowerCase() === name)) return stone();
  const size = text.length > 3 ? 20 : [0, 46, 34, 26][text.length] || 46;
  if (token.owner !== null) return [...stone(38), label(text, size * 0.86)];
  return [svg("rect", { x: 9, y: 9, width: 82, height: 82, rx: 12, class: "body" }), label(text, size)];
}

/** A token as a drawing. */
export function piece(token, roles, colours) {
  const own = token.owner === null ? null : colours[token.owner];
  const colour = own ?? COLOURS[token.name.toLowerCase()] ?? null;
  const drawing = svg("svg", { viewBox: "0 0 100 100", class: "piece", "aria-hidden": "true" });
  drawing.append(...parts(token, roles));
  if (token.percent !== null) {
    drawing.classList.add("uncertain");
    // A piece that is hardly possible can still be seen.
    drawing.style.setProperty("--share", 0.25 + (0.6 * token.percent) / 100);
  }
  if (colour) {
    drawing.style.setProperty("--fill", colour);
    drawing.style.setProperty("--ink", isDark(colour) ? "#ffffff" : "#1d2022");
    drawing.style.setProperty("--edge", isDark(colour) ? "#00000055" : "#00000088");
    if (isDark(colour)) drawing.classList.add("dark");
  } else {
    drawing.classList.add("neutral");
  }
  return drawing;
}
