// The lists below the text of a rulesheet: what is wrong with it, and where a word is used.

import { el, many, say } from "./dom.js";
import { prose } from "./editor.js";

/** What the page about the code of a finding says. */
export function page({ code, about }) {
  if (!about) return null;
  const paragraphs = about.flatMap((text) => prose(text));
  return el("details", { class: "reason" }, el("summary", {}, code), ...paragraphs);
}

export class Problems {
  /** Draws in `element`; `select` gets the place that is chosen, `fix` the finding to mend. */
  constructor(element, select, fix) {
    this.select = select;
    this.fix = fix;
    this.findings = [];
    this.count = el("h2", {}, "Problems");
    this.list = el("ol", { class: "problems" });
    element.append(this.count, this.list);
  }

  show(findings, omitted) {
    this.findings = findings;
    const errors = findings.filter(({ severity }) => severity === "error").length;
    const warnings = findings.length - errors + omitted;
    say(
      this.count,
      findings.length ? `${many(errors, "error")}, ${many(warnings, "warning")}` : "No problems",
    );
    this.list.replaceChildren(...findings.map((one) => this.item(one)));
  }

  item(one) {
    return el(
      "li",
      { class: one.severity },
      el(
        "button",
        { type: "button", class: "place", onclick: () => this.select(one.from, one.to) },
        `line ${one.line}: ${one.message}`,
      ),
      one.help ? el("p", { class: "reason" }, one.help) : null,
      page(one),
      one.edits.length
        ? el("button", { type: "button", class: "chip fix", onclick: () => this.fix(one) }, "Fix it")
        : null,
    );
  }

  fail(text) {
    say(this.count, text);
  }

  /** Marks the problems at the cursor. */
  mark(offset) {
    [...this.list.children].forEach((item, at) => {
      const one = this.findings[at];
      item.classList.toggle("here", Boolean(one) && one.from <= offset && offset <= one.to);
    });
  }
}

export class Uses {
  /** Draws in `element`; `select` gets the place that is chosen. */
  constructor(element, select) {
    this.element = element;
    this.select = select;
    element.hidden = true;
  }

  /** Lists the places of a word; null for no word. */
  show(answer) {
    if (!answer) {
      this.element.hidden = true;
      return;
    }
    const { name, places, omitted } = answer;
    const item = (one) =>
      el(
        "li",
        { class: one.defines ? "defines" : null },
        el(
          "button",
          { type: "button", class: "place", onclick: () => this.select(one.from, one.to) },
          el("span", { class: "number" }, `${one.line}`),
          el("code", {}, one.text),
        ),
      );
    const close = () => {
      this.element.hidden = true;
    };
    this.element.replaceChildren(
      el(
        "div",
        { class: "group start" },
        el("h2", {}, `${many(places.length + omitted, "place")} of ${name}`),
        el("button", { type: "button", class: "chip", id: "uses-close", onclick: close }, "Close"),
      ),
      el("ol", { class: "uses", tabindex: 0, "aria-label": `places of ${name}` }, places.map(item)),
    );
    this.element.hidden = false;
  }
}
