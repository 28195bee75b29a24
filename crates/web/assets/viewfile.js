// The view file of a game (`NAME.view.json`), which describes its board: an editor of its own beside the rules.

import { el, say } from "./dom.js";
import { makeEditor } from "./editor.js";

/** What an empty view file begins with. */
const BEGINNING = '{\n  "chequered": true\n}\n';

export class ViewFile {
  /** Draws in `element`; `changed` is called with every change of the text. */
  constructor(element, begun, changed) {
    this.changed = changed;
    this.version = begun.version;
    this.saved = begun.saved;
    this.begun = begun.text;
    this.editor = null;
    this.flaw = null;
    this.place = el("div", { class: "editor" });
    this.note = el("p", { class: "reason", role: "status" });
    this.begin = el(
      "button",
      {
        type: "button",
        id: "view-begin",
        onclick: () => this.editor.edit([{ from: 0, to: 0, insert: BEGINNING }]),
      },
      "Begin one",
    );
    element.append(this.place, this.note, this.begin);
  }

  text() {
    return this.editor ? this.editor.text() : this.begun;
  }

  isSaved() {
    return this.text() === this.saved;
  }

  /** Opens the editor, which takes time, if it is not open. */
  async open(plain) {
    if (this.editor) return;
    const hooks = {
      label: "view file in JSON",
      changed: () => this.change(),
      moved: () => {},
      command: (name) => this.command?.(name),
    };
    this.editor = await makeEditor(this.place, this.begun, hooks, plain);
    this.show(this.flaw);
  }

  close() {
    this.begun = this.text();
    this.editor?.close();
    this.editor = null;
  }

  change() {
    this.begin.hidden = this.text().trim() !== "";
    this.changed();
  }

  /** Shows the first error of the text; null for none. */
  show(flaw) {
    this.flaw = flaw;
    const empty = this.text().trim() === "";
    this.begin.hidden = !empty;
    this.note.classList.toggle("bad", Boolean(flaw));
    const fine = empty
      ? "There is no view file: the board is inferred from the rules."
      : "The board is drawn as this file says.";
    say(this.note, flaw?.message ?? fine);
    this.editor?.show({
      findings: flaw ? [{ ...flaw, severity: "error", edits: [], help: null, label: null }] : [],
      tokens: [],
      folds: [],
    });
  }
}
