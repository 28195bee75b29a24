// The author's studio: the text of a game, what is wrong with it, and the game as it is played.

import * as api from "./api.js";
import { el, say, toast, words } from "./dom.js";
import { makeEditor, prose } from "./editor.js";
import { Live } from "./live.js";
import { Strip } from "./strip.js";

/** How long the text has to rest before its mistakes are looked for, and before it is played, in ms. */
const LOOK = 40;
const PLAY = 300;

/** Texts that are not saved, by the address of their page, as long as the page is not loaded anew. */
const kept = new Map();

/** Keeps a text for the page `#new=pasted`. */
export function paste(name, text) {
  kept.set("new=pasted", { name, text, version: null, saved: "", savedAs: null });
}

/** Where an author begins at `key`, the address of the page. */
async function beginning(key, wanted) {
  if (kept.has(key)) return kept.get(key);
  if (wanted.edit) {
    const { text, version } = await api.source(wanted.edit);
    return { name: wanted.edit, text, version, saved: text, savedAs: wanted.edit };
  }
  if (wanted.new === "empty" || wanted.new === "pasted")
    return { name: "my_game", text: "", version: null, saved: "", savedAs: null };
  const { text } = await api.template(wanted.new);
  return { name: "my_game", text, version: null, saved: text, savedAs: null };
}

/** Opens the studio in `page`. */
export async function openStudio(page, nav, key, wanted) {
  const [about, begun] = await Promise.all([api.studio(), beginning(key, wanted)]);
  return new Studio(page, nav, { key, about, begun, game: wanted.edit ?? null });
}

class Studio {
  constructor(page, nav, { key, about, begun, game }) {
    Object.assign(this, { key, about, game });
    this.version = begun.version;
    this.saved = begun.saved;
    this.savedAs = begun.savedAs;
    this.findings = [];
    // So many times the text has changed; an answer about an earlier text is of no use.
    this.edition = 0;
    this.seed = 1;
    this.build(page, nav, begun);
    this.leaving = (event) => {
      if (this.editor && this.editor.text() !== this.saved) event.preventDefault();
    };
    addEventListener("beforeunload", this.leaving);
    this.start(begun.text, false);
  }

  close() {
    clearTimeout(this.looking);
    clearTimeout(this.playing);
    this.edition += 1;
    removeEventListener("beforeunload", this.leaving);
    if (!this.editor) return;
    const text = this.editor.text();
    const { version, saved, savedAs } = this;
    if (text === saved) kept.delete(this.key);
    else kept.set(this.key, { name: this.name.value, text, version, saved, savedAs });
    this.editor.close();
  }

  build(page, nav, begun) {
    const button = (text, title, action, id) =>
      el("button", { type: "button", title, id, onclick: action }, text);
    say(document.getElementById("title"), "Studio");
    document.title = "Studio – ggp";
    this.name = el("input", {
      type: "text",
      "aria-label": "name of the game",
      value: begun.name,
      maxlength: 60,
      size: 14,
    });
    this.saving = button("Save", "save the text (Ctrl-S)", () => this.command("save"), "save");
    this.outline = el("select", { "aria-label": "go to", onchange: () => this.goTo() });
    for (const event of ["pointerdown", "focus"])
      this.outline.addEventListener(event, () => this.showOutline());
    this.outline.append(el("option", {}, "Go to …"));
    const plain = el("input", { type: "checkbox", id: "plain", onchange: () => this.switch(plain.checked) });
    this.tools = el(
      "div",
      { class: "group start tools" },
      this.name,
      this.about.folder ? this.saving : null,
      button("Download", "keep the text as a file", () => this.download(), "download"),
      button("Format", "lay the text out (Shift-Alt-F)", () => this.command("format"), "format"),
      button("Rename", "rename what stands at the cursor (F2)", () => this.command("rename"), "rename"),
      this.outline,
      el("label", { class: "check" }, plain, "plain text"),
    );
    this.asking = el("form", { class: "group start asking", hidden: true });
    this.place = el("div", { class: "editor" });
    this.count = el("h2", {}, "Problems");
    this.problems = el("ol", { class: "problems" });
    this.note = el(
      "p",
      { class: "reason" },
      this.about.folder
        ? `Save keeps the text in ${this.about.folder}.`
        : "Nothing is saved here: `ggp web --games FOLDER` names a folder. Download keeps the text.",
    );
    const writing = el(
      "section",
      { class: "writing" },
      this.tools,
      this.asking,
      this.place,
      el("section", { class: "panel", "aria-live": "polite" }, this.count, this.problems),
      this.note,
    );
    const living = el("section", { class: "living" });
    this.live = new Live(
      living,
      (what, question) => this.ask(what, question),
      (line) => this.jump(line),
    );
    const strip = el("section", { class: "panel" });
    living.append(strip);
    this.strip = new Strip(
      strip,
      () => {
        this.seed += 1;
        this.showPlayout();
      },
      (line, at) => this.live.look(line, at).catch((error) => toast(error.message)),
    );
    page.classList.add("studio");
    page.append(writing, living);
    nav.append(
      button("Play", "play against engines", () => this.play(), "play"),
      el("a", { class: "button", href: "#new" }, "New"),
    );
  }

  async start(text, plain) {
    const hooks = {
      ask: api.inquire,
      changed: () => this.changed(),
      moved: (offset) => this.mark(offset),
      command: (name) => this.command(name),
      fix: (finding) => this.fix(finding),
    };
    const edition = this.edition;
    const editor = await makeEditor(this.place, text, hooks, plain);
    if (edition !== this.edition) return editor.close();
    this.editor = editor;
    this.changed();
  }

  async switch(plain) {
    const text = this.editor.text();
    this.editor.close();
    await this.start(text, plain);
    this.editor.focus();
  }

  /** Asks about the text of now. The answer is null if the text has changed meanwhile. */
  async ask(what, question) {
    const edition = this.edition;
    const game = this.game ?? undefined;
    const answer = await api.inquire(what, { text: this.editor.text(), game, ...question });
    return edition === this.edition ? answer : null;
  }

  changed() {
    this.edition += 1;
    clearTimeout(this.looking);
    clearTimeout(this.playing);
    this.looking = setTimeout(() => this.check(), LOOK);
    this.saving.disabled = this.editor.text() === this.saved && this.version !== null;
  }

  /** Looks for mistakes; a text without any is played. */
  async check() {
    try {
      const found = await this.ask("findings", {});
      if (!found) return;
      this.findings = found.findings;
      this.editor.show(found);
      this.showProblems(found.omitted);
      const error = found.findings.find(({ severity }) => severity === "error");
      if (error)
        this.live.stale(
          `The rules have errors; shown is the game before. Line ${error.line}: ${error.message}`,
        );
      else this.playing = setTimeout(() => this.replay(), PLAY);
    } catch (error) {
      this.count.textContent = error.message;
    }
  }

  /** Shows the state, a playout, and what playouts refute. */
  async replay() {
    try {
      await this.live.refresh();
      await this.showPlayout();
      const refuted = await this.ask("refute", {});
      if (!refuted) return;
      const show = (one) => this.showPlayout(one);
      this.strip.list(refuted, show);
      if (refuted.refuted.length) await this.showPlayout(refuted.refuted[0]);
    } catch (error) {
      this.live.stale(error.message);
      this.strip.fail(error.message);
    }
  }

  /** Shows the playout that refutes something, or a random one. */
  async showPlayout(refuted) {
    try {
      const question = refuted ? { moves: refuted.moves } : { seed: this.seed };
      const answer = await this.ask("strip", question);
      if (answer) this.strip.show(answer, refuted?.message);
    } catch (error) {
      this.strip.fail(error.message);
    }
  }

  showProblems(omitted) {
    const errors = this.findings.filter(({ severity }) => severity === "error").length;
    const warnings = this.findings.length - errors + omitted;
    const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
    say(
      this.count,
      this.findings.length ? `${many(errors, "error")}, ${many(warnings, "warning")}` : "No problems",
    );
    const item = (one) =>
      el(
        "li",
        { class: one.severity },
        el(
          "button",
          { type: "button", class: "place", onclick: () => this.editor.select(one.from, one.to) },
          `line ${one.line}: ${one.message}`,
        ),
        one.help ? el("p", { class: "reason" }, one.help) : null,
        one.about
          ? el(
              "details",
              { class: "reason" },
              el("summary", {}, one.code),
              ...one.about.flatMap((text) => prose(text)),
            )
          : null,
        one.edits.length
          ? el("button", { type: "button", class: "chip fix", onclick: () => this.fix(one) }, "Fix it")
          : null,
      );
    this.problems.replaceChildren(...this.findings.map(item));
    this.mark(this.editor.offset());
  }

  /** Marks the problems at the cursor. */
  mark(offset) {
    [...this.problems.children].forEach((item, at) => {
      const one = this.findings[at];
      item.classList.toggle("here", Boolean(one) && one.from <= offset && offset <= one.to);
    });
  }

  fix(finding) {
    if (!this.findings.includes(finding)) return;
    this.findings = [];
    this.editor.edit(finding.edits);
    this.editor.focus();
  }

  jump(line) {
    const lines = this.editor.text().split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.editor.select(from, from + (lines[line - 1] ?? "").length);
  }

  async command(name) {
    const commands = {
      save: () => this.save(),
      format: () => this.format(),
      rename: () => this.rename(),
      define: () => this.define(),
      fix: () => {
        const at = this.editor.offset();
        const found = this.findings.find((one) => one.edits.length && one.from <= at && at <= one.to);
        if (found) this.fix(found);
      },
    };
    try {
      await commands[name]();
    } catch (error) {
      toast(error.message);
    }
  }

  async format() {
    const answer = await this.ask("format", {});
    if (answer?.edits.length) this.editor.edit(answer.edits);
  }

  async define() {
    const answer = await this.ask("define", { at: this.editor.offset() });
    if (answer) this.editor.select(answer.from, answer.to);
  }

  async rename() {
    const at = this.editor.offset();
    const what = await this.ask("rename", { at });
    if (!what) return;
    const input = el("input", { type: "text", value: what.name, "aria-label": `new name of ${what.name}` });
    this.dialogue([`Rename ${what.name} to`, input, el("button", { type: "submit" }, "Rename")], async () => {
      const answer = await this.ask("rename", { at, rename: input.value.trim() });
      if (answer) this.editor.edit(answer.edits);
    });
    input.select();
  }

  /** Asks for something above the text; `done` is called if the author agrees. */
  dialogue(parts, done) {
    const end = () => {
      this.asking.hidden = true;
      this.editor.focus();
    };
    this.asking.replaceChildren(...parts, el("button", { type: "button", onclick: end }, "Cancel"));
    this.asking.hidden = false;
    this.asking.querySelector("input, button").focus();
    this.asking.onsubmit = async (event) => {
      event.preventDefault();
      try {
        await done();
        end();
      } catch (error) {
        toast(error.message);
      }
    };
    this.asking.onkeydown = (event) => {
      if (event.key === "Escape") end();
    };
  }

  async save() {
    if (!this.about.folder) {
      toast("Nothing is saved here: `ggp web --games FOLDER` names a folder.");
      return;
    }
    const [name, text] = [this.name.value.trim(), this.editor.text()];
    // A new name is a new file.
    if (name !== this.savedAs) this.version = null;
    const keep = async (version) => {
      const answer = await api.save({ name, text, version });
      if (answer.changed) {
        this.dialogue([`${answer.error}.`, el("button", { type: "submit" }, "Replace it")], () =>
          keep(answer.version),
        );
        return;
      }
      this.version = answer.version;
      this.savedAs = name;
      this.game = name;
      // Who comes back to this page gets the file.
      kept.delete(this.key);
      this.key = `edit=${name}`;
      history.replaceState(null, "", `#${this.key}`);
      this.saved = text;
      this.saving.disabled = this.editor.text() === text;
      say(this.note, `Saved as ${name}.kif in ${this.about.folder}.`);
    };
    await keep(this.version);
  }

  download() {
    const address = URL.createObjectURL(new Blob([this.editor.text()], { type: "text/plain" }));
    el("a", { href: address, download: `${this.name.value.trim() || "game"}.kif` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  async showOutline() {
    if (this.outlined === this.edition) return;
    this.outlined = this.edition;
    const symbols = await this.ask("symbols", {}).catch(() => null);
    const option = ({ name, detail, level, from, to }) =>
      el(
        "option",
        { value: `${from} ${to}` },
        `${"\u2003".repeat(level)}${name}${detail ? ` – ${detail}` : ""}`,
      );
    if (symbols) this.outline.replaceChildren(el("option", { value: "" }, "Go to …"), ...symbols.map(option));
  }

  goTo() {
    const [from, to] = this.outline.value.split(" ").map(Number);
    this.outline.selectedIndex = 0;
    if (to) this.editor.select(from, to);
  }

  /** Opens a session with the rules as they are. */
  async play() {
    try {
      const rules = this.editor.text();
      const { roles } = await api.look({ rules });
      if (!roles) throw new Error("the rules have errors");
      const players = roles.filter(({ nature }) => !nature);
      const seats = players.map((_, at) => (at === 0 ? { kind: "person" } : { kind: "engine", seconds: 1 }));
      const { id } = await api.open({ rules, name: words(this.name.value), seats });
      location.hash = `s=${id}`;
    } catch (error) {
      toast(error.message);
    }
  }
}
