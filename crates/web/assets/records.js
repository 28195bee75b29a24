// The matches in the folder that is watched, each with a link to its replay.

import { el, say, words } from "./dom.js";

/** Shows the list of `answer` in `page`. */
export class Records {
  constructor(page, { records, later, omitted }) {
    say(document.getElementById("title"), "Matches");
    document.title = "Matches – ggp";
    page.classList.add("home");
    const heads = ["Match", "Game", "Players", "Goals", "Steps", "Last move"];
    const row = (record) =>
      el(
        "tr",
        {},
        el("td", {}, el("a", { href: `#replay=${encodeURIComponent(record.name)}` }, record.name)),
        el("td", {}, words(record.game)),
        el("td", {}, record.players.join(", ")),
        el("td", {}, record.over ? record.goals.map((goal) => goal ?? "–").join(" : ") || "–" : "goes on"),
        el("td", { class: "number" }, `${record.steps}`),
        el("td", {}, new Date(record.changed).toLocaleString()),
      );
    const table = el(
      "table",
      { class: "records" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((text) => el("th", { scope: "col" }, text)),
        ),
      ),
      el("tbody", {}, records.map(row)),
    );
    if (records.length)
      page.append(
        el("div", { class: "panel wide", tabindex: 0, role: "region", "aria-label": "matches" }, table),
      );
    else if (!later.length) page.append(el("p", { class: "empty" }, "No match has been saved here yet."));
    for (const { name, why } of later)
      page.append(el("p", { class: "reason" }, `${name} is not listed: ${why}.`));
    if (omitted) page.append(el("p", { class: "reason" }, `${omitted} older matches are not listed.`));
  }

  close() {}
}
