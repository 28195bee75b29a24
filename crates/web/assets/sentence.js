// The sentence below the board of a match.

import { words } from "./dom.js";
import { verdict } from "./result.js";

/** What the page of a match says below the board. `role` chooses, and `isTip` tells whether the last state is shown. */
export function sentence(table, role, isTip) {
  const { node, status, roles } = table;
  if (status.note) return status.note;
  if (node.terminal) {
    const remarks = { none: " (the rules give no goal)", several: " (the largest of several goals)" };
    const goals = roles
      .map((_, at) => at)
      .filter((at) => status.seats[at] !== null)
      .map((at) => `${words(roles[at])} ${node.goals[at]}${remarks[node.given[at]] ?? ""}`);
    return `Over: ${goals.join(", ")}. ${verdict(node.goals, status.seats)}`;
  }
  if (table.isBusy()) return "…";
  if (!isTip && status.sight?.kind === "role") return "What you knew at that time.";
  if (!isTip) return role >= 0 ? "An earlier state: move to begin a new line." : "An earlier state.";
  if (status.watched || status.sight?.kind === "everything") return "Watching.";
  if (role >= 0) {
    const several = status.seats.filter((seat) => seat?.kind === "person").length > 1;
    const who = several ? `${words(roles[role])}, choose` : "Your move";
    return table.chosen.length ? `${who}: from ${table.board.name(table.chosen.at(-1))} to …` : `${who}.`;
  }
  if (status.held) return "Paused.";
  if (status.sight) return "Waiting for the others …";
  if (status.working !== null) return `${words(roles[status.working])} is thinking …`;
  return "Waiting …";
}
