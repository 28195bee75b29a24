// The page's display beside the board: facts that lie on no square, and a role's knowledge of the state.

import { el, moveText, words } from "./dom.js";
import { drawing } from "./pieces.js";

/** So many possible facts are listed. */
const POSSIBLE = 12;

/** How many states are possible, and what holds in some of them. */
function extent({ extent, possible }) {
  if (!extent) return [];
  const { states, sampled } = extent;
  const number = states.toLocaleString("en");
  const known = states === 1 ? "You know the whole state." : `${number} states are possible.`;
  const text = sampled
    ? `Too many states are possible: shares are estimated from a sample of ${number}.`
    : known;
  const fact = ({ fact, percent }) => el("li", {}, `${words(moveText(fact))} `, el("b", {}, `${percent} %`));
  const more = possible.length - POSSIBLE;
  return [
    el("p", { class: "extent" }, text),
    el(
      "ul",
      { class: "possible", "aria-label": "possible facts", hidden: possible.length === 0 },
      possible.slice(0, POSSIBLE).map(fact),
      more > 0 ? el("li", {}, `and ${more} more`) : null,
    ),
  ];
}

/** Facts about the same things as a table: a row for each of them. */
function chart({ heads, rows }) {
  const row = ([first, ...cells]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, first),
      cells.map((cell) => el("td", {}, cell)),
    );
  const head = heads.map((text) => el("th", { scope: "col" }, text));
  return el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows.map(row)));
}

/** What the marks on the board mean. */
function legend(marks) {
  const entry = ([picture, name]) => el("li", {}, drawing(picture, 100, 100), name);
  return el("ul", { class: "legend", "aria-label": "marks", hidden: !marks.length }, marks.map(entry));
}

/** The elements beside the board in the state `node`; `table` says that there is no board. */
export function beside(node, table) {
  const items = node.side.filter((caption) => table || caption.kind !== "control");
  const entry = ({ title, rows }) =>
    el("div", {}, el("dt", {}, title), el("dd", {}, rows.map((row) => row.join(" ")).join(" · ") || "yes"));
  const plain = items.filter(({ heads }) => !heads.length);
  const charts = items.filter(({ heads }) => heads.length);
  return [...extent(node), legend(node.legend ?? []), ...charts.map(chart), el("dl", {}, plain.map(entry))];
}
