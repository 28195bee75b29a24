// Rules or a saved match that a person drops, pastes or loads.

import * as api from "./api.js";
import { el, many, toast } from "./dom.js";

/** Whether a text is a saved match, and not rules. */
const isRecord = (text) => text.trimStart().startsWith("{");

export class Upload {
  /** Draws in `page`; `asked` gets the rules that are in order, `record` the text of a saved match. */
  constructor(page, allowed, asked, record) {
    this.allowed = allowed;
    this.asked = asked;
    this.record = record;
    this.text = el("textarea", {
      rows: 8,
      spellcheck: "false",
      "aria-label": "rules in KIF, or a saved match",
      placeholder: "(role white) (role black) …",
    });
    this.file = el("input", {
      type: "file",
      accept: ".kif,.gdl,.txt,.json",
      "aria-label": "a rulesheet or a saved match",
      onchange: () => this.take(this.file.files[0]),
    });
    this.findings = el("div", { class: "findings", "aria-live": "polite" });
    const check = el("button", { type: "button", onclick: () => this.takeText() }, "Check and play");
    page.append(
      el(
        "section",
        { class: "panel drop" },
        el("h2", {}, "Another game"),
        el(
          "p",
          {},
          "Drop a rulesheet (.kif) or a saved match (.json) here, choose a file, or paste its text.",
        ),
        el("p", {}, this.file),
        this.text,
        el("p", {}, check),
        this.findings,
      ),
    );
    this.dragging = (event) => event.preventDefault();
    this.dropping = (event) => {
      event.preventDefault();
      this.take(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", this.dragging);
    addEventListener("drop", this.dropping);
  }

  close() {
    removeEventListener("dragover", this.dragging);
    removeEventListener("drop", this.dropping);
  }

  async take(file) {
    if (!file) return;
    this.file.value = "";
    if (file.size > this.allowed.upload) {
      toast(`${file.name} is too large: at most ${Math.round(this.allowed.upload / 1024)} KiB`);
      return;
    }
    const text = await file.text();
    if (isRecord(text)) {
      this.record(file.name, text);
      return;
    }
    this.text.value = text;
    this.check(file.name.replace(/\.[a-z]+$/i, ""), text);
  }

  /** Takes what was pasted. */
  takeText() {
    const text = this.text.value;
    if (isRecord(text)) this.record("The pasted text", text);
    else this.check("pasted", text);
  }

  async check(name, rules) {
    const wanted = { rules, name };
    try {
      const { findings, roles } = await api.look(wanted);
      this.showFindings(findings, rules);
      if (roles) this.asked(wanted, roles);
    } catch (error) {
      toast(error.message);
    }
  }

  /** The findings, and the lines that they are about with the places marked. */
  showFindings(findings, rules) {
    const lines = rules.split(/\r\n|\n|\r/);
    const finding = (one) => {
      const text = [...(lines[one.line - 1] ?? "")];
      const end = one.endLine === one.line ? one.endColumn : text.length + 1;
      const from = Math.max(0, one.column - 1);
      const to = Math.max(from + 1, end - 1);
      const start = Math.max(0, from - 60);
      const code = el(
        "code",
        {},
        el("span", { class: "number" }, `${one.line} `),
        text.slice(start, from).join(""),
        el("mark", {}, text.slice(from, to).join("") || " "),
        text.slice(to, to + 80).join(""),
      );
      const says = `${one.severity} in line ${one.line}: ${one.message}`;
      return el(
        "li",
        { class: one.severity },
        el("button", { type: "button", class: "place", onclick: () => this.select(one, lines) }, says),
        code,
        one.help ? el("p", {}, one.help) : null,
      );
    };
    const errors = findings.filter((one) => one.severity === "error").length;
    const text = findings.length
      ? `${many(errors, "error")}, ${many(findings.length - errors, "warning")}`
      : "The rules are in order.";
    this.findings.replaceChildren(el("h3", {}, text), el("ol", {}, findings.slice(0, 100).map(finding)));
  }

  /** Selects the place of a finding in the text. */
  select(one, lines) {
    const before = lines.slice(0, one.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(before + one.column - 1, before + one.column);
  }
}
