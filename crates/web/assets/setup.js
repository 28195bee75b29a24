// The choice of a game and of who plays: ours, or rules that are dropped, pasted or loaded.

import * as api from "./api.js";
import { el, say, toast, words } from "./dom.js";

const KINDS = [
  ["person", "Person"],
  ["engine", "Engine"],
  ["random", "Random moves"],
  ["remote", "Player elsewhere"],
];

/** The form for who takes one role. */
class SeatForm {
  constructor(name, kind, allowed) {
    this.kind = el(
      "select",
      { "aria-label": `who plays ${name}`, onchange: () => this.change() },
      KINDS.filter(([value]) => allowed.remote || value !== "remote").map(([value, text]) =>
        el("option", { value, selected: value === kind }, text),
      ),
    );
    this.unit = el(
      "select",
      { "aria-label": `strength of ${name} counts`, onchange: () => this.change() },
      el("option", { value: "seconds" }, "seconds a move"),
      el("option", { value: "iterations" }, "iterations a move"),
    );
    this.strength = el("input", {
      type: "number",
      "aria-label": `strength of ${name}`,
      value: 1,
      min: 0.1,
      max: allowed.longest,
      step: "any",
      required: true,
    });
    this.url = el("input", {
      type: "text",
      placeholder: "http://host:9147",
      "aria-label": `address of ${name}`,
    });
    this.most = allowed.longest;
    const label = el("span", { class: "role" }, words(name));
    this.element = el("div", { class: "seat" }, label, this.kind, this.strength, this.unit, this.url);
    this.change();
  }

  change() {
    const kind = this.kind.value;
    const iterations = this.unit.value === "iterations";
    this.strength.hidden = kind !== "engine";
    this.unit.hidden = kind !== "engine";
    this.url.hidden = kind !== "remote";
    this.strength.disabled = kind !== "engine";
    this.strength.max = iterations ? 1e9 : this.most;
    if (iterations && Number(this.strength.value) < 10) this.strength.value = 1000;
    if (!iterations && Number(this.strength.value) > this.most) this.strength.value = 1;
  }

  read() {
    const kind = this.kind.value;
    if (kind === "remote") return { kind, url: this.url.value.trim() };
    if (kind !== "engine") return { kind };
    const strength = Number(this.strength.value);
    return this.unit.value === "iterations"
      ? { kind, iterations: Math.round(strength) }
      : { kind, seconds: strength };
  }
}

/** The forms for all roles of a game that players take. */
export function seatForms(roles, allowed, kinds) {
  const players = roles.filter((role) => !role.nature);
  return players.map(
    (role, at) => new SeatForm(role.name, kinds?.[at] ?? (at === 0 ? "person" : "engine"), allowed),
  );
}

export class Setup {
  constructor(page, allowed, opened) {
    this.allowed = allowed;
    this.opened = opened;
    this.record = null;
    say(document.getElementById("title"), "Games");
    document.title = "ggp";
    this.games = el(
      "ul",
      { class: "games" },
      allowed.games.map((name) => el("li", {}, this.card(name))),
    );
    this.form = el("form", { class: "panel setup", onsubmit: (event) => this.start(event), hidden: true });
    this.text = el("textarea", {
      rows: 8,
      spellcheck: "false",
      "aria-label": "rules in KIF",
      placeholder: "(role white) (role black) …",
    });
    this.file = el("input", {
      type: "file",
      accept: ".kif,.gdl,.txt,.json",
      "aria-label": "a rulesheet or a saved match",
      onchange: () => this.take(this.file.files[0]),
    });
    this.findings = el("div", { class: "findings", "aria-live": "polite" });
    const check = el(
      "button",
      { type: "button", onclick: () => this.check("pasted", this.text.value) },
      "Check and play",
    );
    this.drop = el(
      "section",
      { class: "panel drop" },
      el("h2", {}, "Another game"),
      el("p", {}, "Drop a rulesheet (.kif) or a saved match (.json) here, choose a file, or paste rules."),
      el("p", {}, this.file),
      this.text,
      el("p", {}, check),
      this.findings,
    );
    const watched = allowed.watched
      ? el(
          "p",
          { class: "panel" },
          el("a", { href: `#s=${allowed.watched}` }, "Watch the match that is being played"),
        )
      : null;
    page.classList.add("home");
    page.append(...[watched, this.form, this.games, this.drop].filter(Boolean));
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

  card(name) {
    return el(
      "button",
      { type: "button", class: "card", onclick: () => this.choose({ game: name }) },
      words(name),
    );
  }

  async take(file) {
    if (!file) return;
    this.file.value = "";
    if (file.size > this.allowed.upload) {
      toast(`${file.name} is too large: at most ${Math.round(this.allowed.upload / 1024)} KiB`);
      return;
    }
    const text = await file.text();
    const isMatch = text.trimStart().startsWith("{");
    if (!isMatch) {
      this.text.value = text;
      this.check(file.name.replace(/\.[a-z]+$/i, ""), text);
      return;
    }
    this.record = text;
    try {
      const saved = JSON.parse(text);
      // In a match of hidden information that is not over, the same people play on.
      this.people = saved.known?.roles ?? null;
      const name = String(saved.gameMetaURL ?? saved.known?.game ?? "")
        .replace(/\/+$/, "")
        .replace(/^.*[\\/]/, "")
        .replace(/\.kif$/, "");
      if (this.allowed.games.includes(name)) this.choose({ game: name });
      else toast(`The match is of the game “${name}”: choose its rules, and it is loaded.`);
    } catch (error) {
      this.record = null;
      toast(`${file.name} is no match: ${error.message}`);
    }
  }

  async check(name, rules) {
    const wanted = { rules, name };
    try {
      const { findings, roles } = await api.look(wanted);
      this.showFindings(findings, rules);
      if (roles) this.ask(wanted, roles);
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
      ? `${errors} errors, ${findings.length - errors} warnings`
      : "The rules are in order.";
    this.findings.replaceChildren(el("h3", {}, text), el("ol", {}, findings.slice(0, 100).map(finding)));
  }

  /** Selects the place of a finding in the text. */
  select(one, lines) {
    const before = lines.slice(0, one.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(before + one.column - 1, before + one.column);
  }

  async choose(wanted) {
    try {
      const { roles } = await api.look(wanted);
      this.ask(wanted, roles);
    } catch (error) {
      toast(error.message);
    }
  }

  /** Asks who plays. */
  ask(wanted, roles) {
    this.wanted = wanted;
    const people = this.record ? this.people : null;
    const players = roles.filter((role) => !role.nature);
    const kinds = people && players.map(({ name }) => (people.includes(name) ? "person" : "engine"));
    this.seats = seatForms(roles, this.allowed, kinds);
    this.button = el("button", { type: "submit", class: "main" }, this.record ? "Load the match" : "Play");
    const note = this.record ? el("p", {}, "A saved match will be gone on with.") : null;
    this.form.replaceChildren(
      ...[
        el("h2", {}, words(wanted.game ?? wanted.name)),
        ...this.seats.map((seat) => seat.element),
        note,
        this.button,
        this.editing(wanted),
      ].filter(Boolean),
    );
    this.form.hidden = false;
    this.form.scrollIntoView({ block: "nearest" });
    this.button.focus();
  }

  /** A way into the studio with the rules of `wanted`. */
  editing(wanted) {
    if (wanted.game)
      return el("a", { class: "button", id: "edit", href: `#edit=${wanted.game}` }, "Edit the rules");
    const edit = async () => {
      const { paste } = await import("./studio.js");
      paste(wanted.name, wanted.rules);
      location.hash = "new=pasted";
    };
    return el("button", { type: "button", id: "edit", onclick: edit }, "Edit the rules");
  }

  async start(event) {
    event.preventDefault();
    this.button.disabled = true;
    say(this.button, "Learning the rules …");
    const seats = this.seats.map((seat) => seat.read());
    try {
      this.opened(await api.open({ ...this.wanted, seats, record: this.record ?? undefined }));
    } catch (error) {
      toast(error.message);
      this.button.disabled = false;
      say(this.button, "Play");
    }
  }
}
