// The page's display beside the board: facts that lie on no square, and a role's knowledge of the state.

import { el, moveText, words } from "./dom.js";

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

/** The elements beside the board in the state `node`; `table` says that there is no board. */
export function beside(node, table) {
  const items = node.side.filter((beside) => table || beside.kind !== "control");
  const entry = (beside) => {
    const rows = beside.rows.slice(0, table ? 200 : 12).map((row) => row.join(" "));
    const more = beside.rows.length > rows.length ? ` and ${beside.rows.length - rows.length} more` : "";
    return el(
      "div",
      {},
      el("dt", {}, words(beside.relation)),
      el("dd", {}, rows.filter(Boolean).join(" · ") || "yes", more),
    );
  };
  return [...extent(node), el("dl", {}, items.map(entry))];
}
