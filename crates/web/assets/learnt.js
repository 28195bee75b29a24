// The panel that shows the lesson of a game in the file of knowledge.

import { el, moveText, words } from "./dom.js";
import { plot } from "./plot.js";

/** Whether engines use what was learnt, and why. */
function verdict({ used, trial, generations }) {
  const uses = used ? "Engines use what was learnt" : "Engines do not use what was learnt";
  return generations.at(-1)?.used
    ? `${uses}: ${result(trial, "its", "it")}.`
    : `${uses}: it explains too little.`;
}

/** Whether engines back up values by minimax, and why. */
function verdictOnMinimax({ used, trial }) {
  const uses = used ? "Engines use minimax values" : "Engines do not use minimax values";
  return `${uses}: ${result(trial, "their", "them")}.`;
}

/** The result of matches. The pronouns stand for what was tried. */
function result(trial, its, it) {
  return trial
    ? `${its} share against the search without ${it} is ${(100 * trial.share).toFixed(0)} % in ${trial.matches} matches`
    : `no match against the search without ${it} has ended`;
}

/** How much of the differences between moves is explained, by the generation of self-play. */
function curve(generations) {
  const points = (name) => generations.map((one, at) => [at + 1, 100 * Math.max(0, one[name])]);
  const last = generations.at(-1);
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const descents = last.descents.toLocaleString("en");
  const title = "share of the differences between moves that is explained, by generation";
  return [
    el("h3", {}, "What it explains, by generation"),
    el(
      "div",
      { class: "chart" },
      plot(title, [{ points: points("by_history"), colour: "var(--soft)" }, { points: points("by_policy") }]),
    ),
    el(
      "p",
      { class: "note" },
      `After ${descents} descents of self-play, what was learnt explains ${percent(last.by_policy)} of the differences ` +
        `between moves in matches that were held out. The history of moves, in grey, explains ${percent(last.by_history)}.`,
    ),
  ];
}

/** The features that weigh most, in the words of the rules. */
function features(all) {
  const row = ({ role, fluent, beside, weight }) => {
    const lead = `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(2)}`;
    const besides = beside ? ` while ${moveText(beside)}` : "";
    return el(
      "tr",
      {},
      el("td", { class: "number" }, lead),
      el("td", {}, words(role)),
      el("td", { class: "move" }, `${moveText(fluent)}${besides}`),
    );
  };
  const heads = ["Lead", "Role", "A move that makes true"].map((text) => el("th", { scope: "col" }, text));
  return [
    el("h3", {}, "What weighs most"),
    el(
      "div",
      { class: "scroll" },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, all.map(row))),
    ),
  ];
}

/** A panel with what was learnt of the game; null if nothing was. */
export function learntPanel(learnt) {
  if (!learnt?.generations.length) return null;
  return el(
    "details",
    { class: "panel learnt" },
    el("summary", {}, "What was learnt"),
    el("p", {}, verdict(learnt)),
    el("p", {}, verdictOnMinimax(learnt.minimax)),
    ...curve(learnt.generations),
    ...features(learnt.features),
  );
}
