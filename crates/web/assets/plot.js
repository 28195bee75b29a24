// Small plots of values from 0 to 100.

import { svg } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 72;

/** A drawing of `lines` over a common axis from 0: each has `points`, with values from 0 to 100, and maybe a colour. */
export function plot(title, lines) {
  const drawing = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "plot",
    role: "img",
    "aria-label": title,
  });
  for (const score of [0, 50, 100]) {
    const y = HEIGHT - 4 - (score / 100) * (HEIGHT - 8);
    drawing.append(svg("line", { x1: 0, x2: WIDTH, y1: y, y2: y, class: "rule" }));
  }
  const most = Math.max(1e-9, ...lines.flatMap((line) => line.points.map(([x]) => x)));
  for (const { points, colour } of lines) {
    if (!points.length) continue;
    const place = ([x, score]) =>
      `${((x / most) * (WIDTH - 6) + 3).toFixed(1)},${(HEIGHT - 4 - (score / 100) * (HEIGHT - 8)).toFixed(1)}`;
    const way = points.map(place).join(" ");
    const line = svg("polyline", { points: way, class: "line" });
    const [x, y] = place(points.at(-1)).split(",");
    const dot = svg("circle", { cx: x, cy: y, r: 3, class: "dot" });
    for (const part of [line, dot]) if (colour) part.style.setProperty("--fill", colour);
    // Black on black and white on white are seen by their rims.
    drawing.append(svg("polyline", { points: way, class: "rim" }), line, dot);
  }
  return drawing;
}
