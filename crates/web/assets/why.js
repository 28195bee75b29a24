// Why an atom holds or fails: the tree of the rules that it rests on.

import { el } from "./dom.js";

const MARKS = { holds: "✓", fails: "✗", untried: "·" };

/** One node with its parts. `jump` gets the line of a rule. */
function node(one, jump) {
  const reason = one.line === null ? one.reason : one.reason.replace(/^line \d+: /, "");
  const line =
    one.line === null
      ? null
      : el(
          "button",
          { type: "button", class: "line", title: "show the rule", onclick: () => jump(one.line) },
          `line ${one.line}`,
        );
  return el(
    "li",
    { class: one.verdict },
    el("span", { class: "verdict", "aria-label": one.verdict }, MARKS[one.verdict]),
    " ",
    el("code", {}, one.text),
    " ",
    line,
    " ",
    el("span", { class: "reason" }, reason),
    one.parts.length
      ? el(
          "ul",
          {},
          one.parts.map((part) => node(part, jump)),
        )
      : null,
  );
}

/** The elements of an explanation. */
export function explained(answer, jump) {
  const when = answer.before
    ? el("p", { class: "reason" }, "in the state before, with the moves made:")
    : null;
  return [when, el("ul", { class: "why" }, node(answer.tree, jump))].filter(Boolean);
}
