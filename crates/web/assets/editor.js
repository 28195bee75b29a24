// The editor of a rulesheet: CodeMirror, or a plain text area where that is wanted or cannot be loaded. Offsets
// count UTF-16 units. What the text means is the server's to say: `ask(what, question)`.

import { el } from "./dom.js";

/** The text `markdown` as elements: paragraphs, code, lists; nothing else of Markdown, and never markup. */
export function prose(markdown) {
  const spans = (text) =>
    text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
      if (part.startsWith("`") && part.length > 1) return el("code", {}, part.slice(1, -1));
      if (part.startsWith("**") && part.length > 4) return el("b", {}, part.slice(2, -2));
      return part;
    });
  const block = (text) => {
    if (text.startsWith("```")) {
      return el("pre", {}, text.replace(/^```[a-z]*\n?/, "").replace(/\n?```$/, ""));
    }
    const lines = text.split("\n");
    if (lines.every((line) => /^[-*] /.test(line))) {
      return el(
        "ul",
        {},
        lines.map((line) => el("li", {}, ...spans(line.slice(2)))),
      );
    }
    return el("p", {}, ...spans(text.replaceAll("\n", " ")));
  };
  const blocks = markdown.match(/```[\s\S]*?```|(?:(?!\n\n|```)[\s\S])+/g) ?? [];
  return blocks
    .map((text) => text.trim())
    .filter((text) => text && text !== "---")
    .map(block);
}

/** A text area, without colours, completion and hover. */
class PlainEditor {
  constructor(parent, text, { changed, moved, label }) {
    this.area = el("textarea", { class: "plain", spellcheck: "false", "aria-label": label });
    this.area.value = text;
    this.area.addEventListener("input", () => changed());
    const move = () => moved(this.offset());
    for (const event of ["keyup", "click"]) this.area.addEventListener(event, move);
    parent.replaceChildren(this.area);
  }

  text = () => this.area.value;
  offset = () => this.area.selectionStart;
  focus = () => this.area.focus();
  show() {}
  showLenses() {}
  close() {}

  /** Makes edits, whose offsets are those of the text before. */
  edit(edits) {
    for (const { from, to, insert } of [...edits].sort((a, b) => b.from - a.from)) {
      this.area.setRangeText(insert, from, to, "end");
    }
    this.area.dispatchEvent(new Event("input"));
  }

  select(from, to) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    const line = this.area.value.slice(0, from).split("\n").length;
    const height = Number.parseFloat(getComputedStyle(this.area).lineHeight) || 18;
    this.area.scrollTop = (line - 5) * height;
  }
}

class CodeEditor {
  constructor(cm, parent, text, hooks) {
    this.cm = cm;
    this.hooks = hooks;
    this.setTokens = cm.StateEffect.define();
    this.setFolds = cm.StateEffect.define();
    this.setLenses = cm.StateEffect.define();
    const nonce = document.querySelector("style[nonce]")?.nonce;
    parent.replaceChildren();
    this.view = new cm.EditorView({
      parent,
      doc: text,
      extensions: [
        nonce ? cm.EditorView.cspNonce.of(nonce) : [],
        cm.lineNumbers(),
        cm.highlightSpecialChars(),
        cm.history(),
        cm.drawSelection(),
        cm.bracketMatching(),
        cm.closeBrackets(),
        cm.highlightActiveLine(),
        cm.highlightActiveLineGutter(),
        cm.highlightSelectionMatches(),
        cm.lintGutter(),
        hooks.ask ? this.understanding() : [],
        cm.EditorView.contentAttributes.of({ "aria-label": hooks.label, spellcheck: "false" }),
        cm.keymap.of([
          { key: "F2", run: () => this.command("rename") },
          { key: "F12", run: () => this.command("define") },
          { key: "Shift-F12", run: () => this.command("uses") },
          { key: "Mod-s", run: () => this.command("save") },
          { key: "Shift-Alt-f", run: () => this.command("format") },
          { key: "Mod-.", run: () => this.command("fix") },
          ...cm.closeBracketsKeymap,
          ...cm.completionKeymap,
          ...cm.foldKeymap,
          ...cm.lintKeymap,
          ...cm.searchKeymap,
          ...cm.historyKeymap,
          ...cm.defaultKeymap,
        ]),
        cm.EditorView.updateListener.of((update) => {
          if (update.docChanged) hooks.changed();
          if (update.docChanged || update.selectionSet) hooks.moved(this.offset());
        }),
      ],
    });
  }

  text = () => this.view.state.doc.toString();
  offset = () => this.view.state.selection.main.head;
  focus = () => this.view.focus();
  close = () => this.view.destroy();

  command(name) {
    this.hooks.command(name);
    return true;
  }

  /** What needs the server to understand the text. */
  understanding() {
    const { cm } = this;
    return [
      cm.autocompletion({ override: [(context) => this.complete(context)] }),
      cm.hoverTooltip((_, at) => this.hover(at), { hoverTime: 400 }),
      this.colours(),
      this.folding(),
      this.lenses(),
    ];
  }

  /** The parts that can be folded, as pairs of offsets in one list; they move with the text. */
  folding() {
    const { cm } = this;
    const parts = cm.StateField.define({
      create: () => [],
      update: (folds, transaction) => {
        const set = transaction.effects.find((effect) => effect.is(this.setFolds));
        if (set) return set.value;
        return transaction.docChanged ? folds.map((at) => transaction.changes.mapPos(at)) : folds;
      },
    });
    const fold = (state, start, end) => {
      const folds = state.field(parts);
      for (let at = 0; at < folds.length && folds[at] <= end; at += 2) {
        if (folds[at] >= start && folds[at + 1] > end) return { from: end, to: folds[at + 1] };
      }
      return null;
    };
    const changed = (update) =>
      update.transactions.some(({ effects }) => effects.some((effect) => effect.is(this.setFolds)));
    return [parts, cm.foldService.of(fold), cm.codeFolding(), cm.foldGutter({ foldingChanged: changed })];
  }

  /** The lines above rules that offer to do something. */
  lenses() {
    const { Decoration, EditorView, StateField, WidgetType } = this.cm;
    const act = (lens) => this.hooks.lens(lens);
    class Row extends WidgetType {
      constructor(shown) {
        super();
        this.shown = shown;
      }
      eq(other) {
        return JSON.stringify(other.shown) === JSON.stringify(this.shown);
      }
      toDOM() {
        const button = (lens) =>
          el("button", { type: "button", class: "lens", onclick: () => act(lens) }, lens.title);
        return el("div", { class: "lenses" }, this.shown.map(button));
      }
      ignoreEvent() {
        return true;
      }
    }
    const build = (lenses, doc) => {
      const rows = new Map();
      for (const lens of lenses.filter(({ at }) => at <= doc.length)) {
        const { from } = doc.lineAt(lens.at);
        rows.set(from, [...(rows.get(from) ?? []), lens]);
      }
      const widget = ([from, shown]) =>
        Decoration.widget({ widget: new Row(shown), block: true, side: -1 }).range(from);
      return Decoration.set([...rows].map(widget), true);
    };
    return StateField.define({
      create: () => Decoration.none,
      update: (rows, transaction) => {
        const set = transaction.effects.find((effect) => effect.is(this.setLenses));
        return set ? build(set.value, transaction.newDoc) : rows.map(transaction.changes);
      },
      provide: (field) => EditorView.decorations.from(field),
    });
  }

  showLenses(lenses) {
    this.view.dispatch({ effects: this.setLenses.of(lenses) });
  }

  /** The colours of the last answer; they move with the text until the next one. */
  colours() {
    const { Decoration, EditorView, RangeSetBuilder, StateField } = this.cm;
    const marks = new Map();
    const mark = (kind) => {
      if (!marks.has(kind)) marks.set(kind, Decoration.mark({ class: `kif-${kind}` }));
      return marks.get(kind);
    };
    const build = (tokens, length) => {
      const builder = new RangeSetBuilder();
      for (let at = 0; at < tokens.length; at += 3) {
        const [from, to, kind] = tokens.slice(at, at + 3);
        if (from < to && to <= length) builder.add(from, to, mark(kind));
      }
      return builder.finish();
    };
    return StateField.define({
      create: () => Decoration.none,
      update: (colours, transaction) => {
        const set = transaction.effects.find((effect) => effect.is(this.setTokens));
        if (set) return build(set.value, transaction.newDoc.length);
        return colours.map(transaction.changes);
      },
      provide: (field) => EditorView.decorations.from(field),
    });
  }

  /** Shows what was found in the text as it is now. */
  show({ findings, tokens, folds }) {
    const { state } = this.view;
    const most = state.doc.length;
    const diagnostics = findings.map((one) => ({
      from: Math.min(one.from, most),
      to: Math.min(one.to, most),
      severity: one.severity === "error" ? "error" : "warning",
      renderMessage: () =>
        el(
          "div",
          { class: "finding" },
          el("p", {}, one.message),
          one.label ? el("p", {}, one.label) : null,
          one.help && !one.edits.length ? el("p", {}, `help: ${one.help}`) : null,
        ),
      message: one.message,
      actions: one.edits.length ? [{ name: one.help ?? "mend it", apply: () => this.hooks.fix(one) }] : [],
    }));
    this.view.dispatch(this.cm.setDiagnostics(state, diagnostics), {
      effects: [this.setTokens.of(tokens), this.setFolds.of(folds)],
    });
  }

  edit(edits) {
    this.view.dispatch({ changes: edits, userEvent: "input" });
  }

  select(from, to) {
    const most = this.view.state.doc.length;
    const [anchor, head] = [Math.min(from, most), Math.min(to, most)];
    const effects = this.cm.EditorView.scrollIntoView(anchor, { y: "center" });
    this.view.dispatch({ selection: { anchor, head }, effects });
    this.view.focus();
  }

  async complete(context) {
    const word = context.matchBefore(/[^\s();"]+/);
    const opened = context.matchBefore(/\(/);
    if (!word && !opened && !context.explicit) return null;
    const answer = await this.hooks.ask("complete", { text: context.state.doc.toString(), at: context.pos });
    const options = answer.items.map(({ label, kind, detail, apply }) => ({
      label,
      type: kind,
      detail,
      apply,
    }));
    // The server has chosen and ordered them.
    return { from: answer.from, to: answer.to, options, filter: false };
  }

  async hover(at) {
    const answer = await this.hooks.ask("hover", { text: this.text(), at }).catch(() => null);
    if (!answer) return null;
    const create = () => ({ dom: el("div", { class: "about" }, ...prose(answer.markdown)) });
    return { pos: answer.from, end: answer.to, above: true, create };
  }
}

/** An editor in `parent`. `plain` asks for the text area. */
export async function makeEditor(parent, text, hooks, plain) {
  if (!plain) {
    try {
      return new CodeEditor(await import("./codemirror.js"), parent, text, hooks);
    } catch (error) {
      console.warn(`the editor cannot be loaded: ${error.message}`);
    }
  }
  return new PlainEditor(parent, text, hooks);
}
