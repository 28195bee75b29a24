// The author's studio: the text of a game, what is wrong with it, and the game as it is played.

import * as api from "./api.js";
import { download, el, say, toast, words } from "./dom.js";
import { makeEditor } from "./editor.js";
import { beginning, kept } from "./files.js";
import { redraw } from "./gallery.js";
import { Live } from "./live.js";
import { Problems, Uses } from "./problems.js";
import { Strip } from "./strip.js";
import { ViewFile } from "./viewfile.js";

/** How long the text has to rest before its mistakes are looked for, and before it is played, in ms. */
const LOOK = 40;
const PLAY = 300;

/** Opens the studio in `page`. */
export async function openStudio(page, nav, key, wanted) {
  const [about, begun] = await Promise.all([api.studio(), beginning(key, wanted)]);
  return new Studio(page, nav, { key, about, begun });
}

class Studio {
  constructor(page, nav, { key, about, begun }) {
    Object.assign(this, { key, about });
    this.version = begun.version;
    this.saved = begun.saved;
    this.savedAs = begun.savedAs;
    // So many times the text has changed; an answer about an earlier text is of no use.
    this.edition = 0;
    this.seed = 1;
    this.build(page, nav, begun);
    this.leaving = (event) => {
      if (this.editor && !this.isSaved()) event.preventDefault();
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
    const { version, saved, savedAs } = this;
    if (this.isSaved()) kept.delete(this.key);
    else {
      const view = { text: this.view.text(), version: this.view.version, saved: this.view.saved };
      kept.set(this.key, { name: this.name.value, text: this.editor.text(), version, saved, savedAs, view });
    }
    this.editor.close();
    this.view.close();
  }

  /** Whether the texts are those of the files, or those that the author began with. */
  isSaved() {
    return this.editor.text() === this.saved && this.view.isSaved();
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
      oninput: () => this.offerSave(),
    });
    this.saving = button("Save", "save the text (Ctrl-S)", () => this.command("save"), "save");
    this.outline = el("select", { "aria-label": "go to", onchange: () => this.goTo() });
    for (const event of ["pointerdown", "focus"])
      this.outline.addEventListener(event, () => this.showOutline());
    this.outline.append(el("option", {}, "Go to …"));
    this.plain = el("input", { type: "checkbox", id: "plain", onchange: () => this.switch() });
    this.tools = el(
      "div",
      { class: "group start tools" },
      this.name,
      this.about.folder ? this.saving : null,
      button("Download", "keep the text as a file", () => this.download(), "download"),
      button("Format", "lay the text out (Shift-Alt-F)", () => this.command("format"), "format"),
      button("Rename", "rename what stands at the cursor (F2)", () => this.command("rename"), "rename"),
      button(
        "Uses",
        "list where the word at the cursor is used (Shift-F12)",
        () => this.command("uses"),
        "uses",
      ),
      this.outline,
      el("label", { class: "check" }, this.plain, "plain text"),
    );
    const tab = (id, text) =>
      el("button", { type: "button", role: "tab", id, onclick: () => this.turnTo(id) }, text);
    this.tabs = [tab("tab-rules", "Rules"), tab("tab-view", "Board (view.json)")];
    this.asking = el("form", { class: "group start asking", hidden: true });
    this.place = el("div", { class: "editor" });
    const panel = (tab) => el("div", { role: "tabpanel", "aria-labelledby": tab });
    this.panels = [panel("tab-rules"), panel("tab-view")];
    const problems = el("section", { class: "panel", "aria-live": "polite" });
    const uses = el("section", { class: "panel" });
    this.panels[0].append(this.place, uses, problems);
    const select = (from, to) => this.editor.select(from, to);
    this.problems = new Problems(problems, select, (one) => this.fix(one));
    this.uses = new Uses(uses, select);
    this.view = new ViewFile(this.panels[1], begun.view, () => this.viewChanged());
    this.view.command = (name) => this.command(name);
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
      el("div", { class: "tabs", role: "tablist", "aria-label": "files of the game" }, this.tabs),
      ...this.panels,
      this.note,
    );
    this.turnTo("tab-rules");
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
      (line) => this.jump(line),
    );
    page.classList.add("studio");
    page.append(writing, living);
    nav.append(
      button("Play", "play against engines", () => this.play(), "play"),
      el("a", { class: "button", href: "#new" }, "New"),
    );
  }

  /** Shows the text of the rules, or that of the view file. */
  async turnTo(id) {
    this.tabs.forEach((tab, at) => {
      const on = tab.id === id;
      tab.setAttribute("aria-selected", String(on));
      this.panels[at].hidden = !on;
    });
    this.shown = id;
    if (id === "tab-view") await this.view.open(this.plain.checked);
  }

  async start(text, plain) {
    const hooks = {
      label: "rules in KIF",
      ask: api.inquire,
      lens: (lens) => this.lens(lens),
      changed: () => this.changed(),
      moved: (offset) => this.problems.mark(offset),
      command: (name) => this.command(name),
      fix: (finding) => this.fix(finding),
    };
    const edition = this.edition;
    const editor = await makeEditor(this.place, text, hooks, plain);
    if (edition !== this.edition) return editor.close();
    this.editor = editor;
    this.changed();
  }

  /** Changes from the editor to the plain text area, or back. */
  async switch() {
    const text = this.editor.text();
    this.editor.close();
    this.view.close();
    await this.start(text, this.plain.checked);
    await this.turnTo(this.shown);
  }

  /** Asks about the text of now. The answer is undefined if a text has changed meanwhile. */
  async ask(what, question) {
    const edition = this.edition;
    const answer = await api.inquire(what, { text: this.editor.text(), view: this.view.text(), ...question });
    return edition === this.edition ? answer : undefined;
  }

  changed() {
    this.edition += 1;
    clearTimeout(this.looking);
    clearTimeout(this.playing);
    this.looking = setTimeout(() => this.check(), LOOK);
    this.offerSave();
  }

  /** Offers to save if that does something: a text is not in its file, or the file has another name. */
  offerSave() {
    if (!this.editor) return;
    const isKept = this.isSaved() && this.version !== null && this.name.value.trim() === this.savedAs;
    this.saving.disabled = isKept;
  }

  viewChanged() {
    this.edition += 1;
    clearTimeout(this.playing);
    clearTimeout(this.looking);
    this.saving.disabled = false;
    // The rules too, as a change of the view file may have overtaken their check.
    this.looking = setTimeout(() => this.check(), LOOK);
  }

  /** Looks for mistakes; a text without any is played. */
  async check() {
    try {
      const found = await this.ask("findings", {});
      if (!found) return;
      this.editor.show(found);
      this.problems.show(found.findings, found.omitted);
      this.problems.mark(this.editor.offset());
      const error = found.findings.find(({ severity }) => severity === "error");
      if (error)
        this.live.stale(
          `The rules have errors; shown is the game before. Line ${error.line}: ${error.message}`,
        );
      else this.playing = setTimeout(() => this.replay(), PLAY);
      // With the state of a game comes what is wrong in its view file.
      const flaw = error ? await this.ask("view", {}) : undefined;
      if (flaw !== undefined) this.view.show(flaw);
    } catch (error) {
      this.problems.fail(error.message);
    }
  }

  /** Shows the state, a playout, and what playouts refute, until a text changes: the new one may have mistakes. */
  async replay() {
    const edition = this.edition;
    try {
      await this.live.refresh();
      if (edition !== this.edition) return;
      this.view.show(this.live.answer?.flaw ?? null);
      const lenses = await this.ask("lenses", {});
      if (!lenses) return;
      this.editor.showLenses(lenses);
      await this.showPlayout();
      if (edition !== this.edition) return;
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

  /** Does what a line above a rule offers. */
  async lens({ action, atom }) {
    if (action === "play") return this.play();
    if (action === "simulate") return this.strip.reveal();
    await this.live.walk(0);
    if (action === "moves") this.live.showLegal();
    else await this.live.why(atom);
  }

  fix(finding) {
    if (!this.problems.findings.includes(finding)) return;
    this.problems.findings = [];
    this.editor.edit(finding.edits);
    this.editor.focus();
  }

  jump(line) {
    this.turnTo("tab-rules");
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
      uses: () => this.showUses(),
      fix: () => {
        const at = this.editor.offset();
        const found = this.problems.findings.find(
          (one) => one.edits.length && one.from <= at && at <= one.to,
        );
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

  async showUses() {
    const answer = await this.ask("references", { at: this.editor.offset() });
    if (!answer) toast("There is no word at the cursor.");
    this.uses.show(answer);
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

  /** Asks for something above the text; `done` is called if the author agrees. Without a field, Enter cancels. */
  dialogue(parts, done) {
    const end = () => {
      this.asking.hidden = true;
      this.editor.focus();
    };
    const cancel = el("button", { type: "button", onclick: end }, "Cancel");
    this.asking.replaceChildren(...parts, cancel);
    this.asking.hidden = false;
    (this.asking.querySelector("input") ?? cancel).focus();
    const submit = async (event) => {
      event.preventDefault();
      try {
        await done();
        // The action may ask another question.
        if (this.asking.onsubmit === submit) end();
      } catch (error) {
        toast(error.message);
      }
    };
    this.asking.onsubmit = submit;
    this.asking.onkeydown = (event) => {
      if (event.key === "Escape") end();
    };
  }

  async save() {
    if (!this.about.folder) {
      toast("Nothing is saved here: `ggp web --games FOLDER` names a folder.");
      return;
    }
    const name = this.name.value.trim();
    // A new name is a new file.
    await this.keepRules(name, this.editor.text(), name === this.savedAs ? this.version : null);
  }

  /** Saves a file; `done` gets the version. If it was changed elsewhere or is of another game, the author is asked before. */
  async keep(wanted, done) {
    const answer = await api.save(wanted);
    if (!answer.changed) return done(answer.version);
    const again = answer.version === null ? "Save it again" : "Replace it";
    this.dialogue([`${answer.error}.`, el("button", { type: "submit" }, again)], () =>
      this.keep({ ...wanted, version: answer.version }, done),
    );
  }

  async keepRules(name, text, version) {
    await this.keep({ name, text, version }, async (version) => {
      this.version = version;
      if (name !== this.savedAs) this.view.version = null;
      this.savedAs = name;
      redraw(name);
      // Who comes back to this page gets the file.
      kept.delete(this.key);
      this.key = `edit=${name}`;
      history.replaceState(null, "", `#${this.key}`);
      this.saved = text;
      this.offerSave();
      say(this.note, `Saved as ${name}.kif in ${this.about.folder}.`);
      await this.keepView(name, this.view.text());
    });
  }

  /** Saves the view file, if there is one that is not saved. */
  async keepView(name, text) {
    const { version, saved } = this.view;
    const isFile = version !== null || text.trim() !== "";
    if (!isFile || (version !== null && text === saved)) return;
    await this.keep({ name, text, version, view: true }, (version) => {
      this.view.version = version;
      this.view.saved = text;
      this.offerSave();
      say(this.note, `Saved as ${name}.kif and ${name}.view.json in ${this.about.folder}.`);
    });
  }

  download() {
    const isView = this.shown === "tab-view";
    const text = isView ? this.view.text() : this.editor.text();
    download(`${this.name.value.trim() || "game"}${isView ? ".view.json" : ".kif"}`, text, "text/plain");
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

  /** Opens a session with the rules and the view file as they are. */
  async play() {
    try {
      const rules = this.editor.text();
      const { roles } = await api.look({ rules });
      if (!roles) throw new Error("the rules have errors");
      const players = roles.filter(({ nature }) => !nature);
      const seats = players.map((_, at) => (at === 0 ? { kind: "person" } : { kind: "engine", seconds: 1 }));
      const { id } = await api.open({ rules, view: this.view.text(), name: words(this.name.value), seats });
      location.hash = `s=${id}`;
    } catch (error) {
      toast(error.message);
    }
  }
}
