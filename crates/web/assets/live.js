// The state that the author looks at: its board, its moves, its facts, and why they hold.

import { Board } from "./board.js";
import { el, label, moveText, say, words } from "./dom.js";
import { read } from "./input.js";
import { beside } from "./side.js";
import { explained } from "./why.js";

/** So many moves of a role, and so many facts, are shown at once. */
const SHOWN = 300;

export class Live {
  /** Draws in `element`. `ask` asks about the text of now, `jump` gets the line of a rule. */
  constructor(element, ask, jump) {
    this.ask = ask;
    this.jump = jump;
    // The joint moves of the line that was played, and how many of them have been made in the state that is shown.
    this.line = [];
    this.at = 0;
    this.answer = null;
    this.choice = {};
    this.chosen = [];
    this.build(element);
  }

  build(element) {
    const button = (text, title, action, id) =>
      el("button", { type: "button", title, "aria-label": label(text, title), id, onclick: action }, text);
    this.boards = el("div", { class: "boards" });
    this.state = el("p", { class: "state", role: "status" });
    this.start = button("«", "to the start", () => this.walk(0), "live-start");
    this.back = button("‹", "one step back", () => this.walk(this.at - 1), "live-back");
    this.forth = button("›", "one step forth", () => this.walk(this.at + 1), "live-forth");
    this.random = button(
      "Random move",
      "a random move for whoever has not chosen",
      () => this.guess(),
      "live-random",
    );
    this.mode = el(
      "select",
      { "aria-label": "a click on the board", onchange: () => this.render() },
      el("option", { value: "play" }, "a click plays"),
      el("option", { value: "why" }, "a click explains"),
    );
    this.seat = el("select", {
      "aria-label": "whose knowledge is shown",
      id: "live-seat",
      hidden: true,
      onchange: () => this.walk(this.at),
    });
    this.known = el("div", { class: "facts" });
    this.moves = el("div", { class: "roles" });
    this.facts = el("ul", { class: "fluents", "aria-label": "facts" });
    this.seen = el("ul", { class: "percepts", "aria-label": "percepts" });
    this.goals = el("div", { class: "group start" });
    this.query = el("input", {
      type: "text",
      placeholder: "(legal white noop)",
      "aria-label": "explain an atom",
      spellcheck: "false",
    });
    this.reasons = el("div", { class: "reasons", "aria-live": "polite" });
    const form = el(
      "form",
      { class: "group start", onsubmit: (event) => this.submit(event) },
      this.query,
      el("button", { type: "submit" }, "Why?"),
    );
    element.append(
      el(
        "section",
        { class: "panel stage" },
        this.boards,
        this.known,
        this.state,
        el(
          "div",
          { class: "controls" },
          el("div", { class: "group" }, this.start, this.back, this.forth, this.random),
          this.mode,
          this.seat,
        ),
      ),
      el("section", { class: "panel", id: "legal" }, el("h2", {}, "Legal moves"), this.moves),
      el("section", { class: "panel", id: "reasons" }, el("h2", {}, "Why"), form, this.goals, this.reasons),
      el("section", { class: "panel" }, el("h2", {}, "Facts"), this.seen, this.facts),
    );
  }

  /** The joint moves that lead to the state that is shown. */
  made() {
    return this.line.slice(0, this.at);
  }

  /** Asks for the state of now, in the text of now. */
  async refresh() {
    const from = this.answer?.step;
    this.asked = (this.asked ?? 0) + 1;
    const own = this.asked;
    const seat = this.seat.hidden || this.seat.value === "" ? null : Number(this.seat.value);
    const answer = await this.ask("state", { moves: this.made(), role: seat });
    if (!answer || own !== this.asked) return;
    this.answer = answer;
    this.choice = {};
    this.chosen = [];
    if (answer.problem) {
      this.line = answer.moves;
      this.at = answer.step;
    }
    const roles = answer.roles.map(({ name }) => name);
    const about = { roles, board: answer.board };
    const key = JSON.stringify(about);
    if (key !== this.key) {
      this.key = key;
      this.roles = roles;
      this.colours = answer.board.colours;
      this.showSeats(answer.roles);
      this.boards.className = `boards ${answer.board.kind}`;
      this.boards.replaceChildren();
      this.board?.close();
      this.board =
        answer.board.kind === "table" ? null : new Board(this.boards, about, (at) => this.click(at));
    }
    this.mode.hidden = !this.board;
    answer.node.number = answer.step;
    answer.node.parent = answer.step - 1;
    this.seat.hidden = !answer.hidden;
    const { known } = answer.node;
    const shown = known?.squares ? { ...answer.node, squares: known.squares } : answer.node;
    this.board?.show(shown, from ?? null);
    this.showKnown(known);
    this.reasons.replaceChildren();
    this.render();
    this.showFacts();
  }

  /** Offers to look at the state as one role knows it. */
  showSeats(roles) {
    const option = ({ name }, role) => el("option", { value: role }, `as ${words(name)} knows it`);
    this.seat.replaceChildren(el("option", { value: "" }, "the whole state"), ...roles.map(option));
  }

  /** What a role knows beside the board. */
  showKnown(known) {
    const parts = known?.error
      ? [el("p", { class: "bad" }, known.error)]
      : known
        ? beside(known, this.board === null)
        : [];
    this.known.replaceChildren(...parts);
  }

  showLegal() {
    document.getElementById("legal").scrollIntoView({ block: "nearest" });
  }

  /** The rules cannot be played as they are; what is shown is an earlier text. */
  stale(problem) {
    this.state.classList.add("bad");
    say(this.state, problem);
  }

  async walk(to) {
    this.at = Math.max(0, Math.min(to, this.line.length));
    try {
      await this.refresh();
    } catch (error) {
      this.at = this.answer?.step ?? 0;
      this.stale(error.message);
    }
  }

  /** Looks at the state after `at` of the joint moves `line`. */
  async look(line, at) {
    this.line = line;
    await this.walk(at);
  }

  /** The role whose choice is next; -1 if all have chosen or have no choice. */
  role() {
    const { legal, terminal } = this.answer.node;
    if (terminal) return -1;
    return legal.findIndex((moves, role) => moves.length > 1 && this.choice[role] === undefined);
  }

  async choose(role, move) {
    this.choice[role] = move;
    this.chosen = [];
    if (this.role() >= 0) this.render();
    else await this.play();
  }

  /** Makes the joint move of what was chosen; a role with one move makes that. */
  async play() {
    const { legal } = this.answer.node;
    const joint = legal.map((moves, role) => this.choice[role] ?? moves[0]?.move);
    if (joint.includes(undefined)) return;
    this.line = [...this.made(), joint];
    await this.walk(this.at + 1);
  }

  async guess() {
    if (!this.answer || this.answer.node.terminal) return;
    this.answer.node.legal.forEach((moves, role) => {
      this.choice[role] ??= moves[Math.floor(Math.random() * moves.length)]?.move;
    });
    await this.play();
  }

  click(square) {
    if (!this.answer) return;
    if (this.mode.value === "why") {
      this.whySquare(square);
      return;
    }
    const role = this.role();
    if (role < 0) return;
    const moves = this.answer.node.legal[role];
    if (!read(moves, this.chosen, this.board.shape).next.has(square)) this.chosen = [];
    if (!read(moves, this.chosen, this.board.shape).next.has(square)) return this.render();
    this.chosen = [...this.chosen, square];
    const { meant, next } = read(moves, this.chosen, this.board.shape);
    if (meant.length === 1 && next.size === 0) return this.choose(role, meant[0].move);
    this.render();
  }

  /** Explains what lies on a square. */
  whySquare(square) {
    const here = this.answer.node.facts.filter((one) => one.square === square);
    this.board.point([square]);
    if (!here.length) {
      this.reasons.replaceChildren(
        el("p", { class: "reason" }, `No fact lies on ${this.board.name(square)}.`),
      );
      return;
    }
    this.why(`(true ${here[0].fact})`, here.slice(1));
  }

  /** Explains an atom; `others` are facts on the same square. */
  async why(atom, others = []) {
    this.query.value = atom;
    try {
      const answer = await this.ask("why", { moves: this.made(), fact: atom });
      if (!answer) return;
      const more = others.map(({ fact }) =>
        el("button", { type: "button", class: "chip", onclick: () => this.why(`(true ${fact})`) }, fact),
      );
      this.reasons.replaceChildren(...explained(answer, this.jump), ...more);
    } catch (error) {
      this.reasons.replaceChildren(el("p", { class: "bad" }, error.message));
    }
    document.getElementById("reasons").scrollIntoView({ block: "nearest" });
  }

  submit(event) {
    event.preventDefault();
    const atom = this.query.value.trim();
    if (atom && this.answer) this.why(atom);
  }

  render() {
    if (!this.answer) return;
    const { node, problem } = this.answer;
    const role = this.role();
    if (this.board) {
      const plays = this.mode.value === "play" && role >= 0;
      const { next } = read(plays ? node.legal[role] : [], this.chosen, this.board.shape);
      this.board.mark(next, this.chosen);
      this.board.point([]);
    }
    this.start.disabled = this.back.disabled = this.at === 0;
    this.forth.disabled = this.at >= this.line.length;
    this.random.disabled = node.terminal;
    this.state.classList.toggle("bad", Boolean(problem));
    say(this.state, problem ?? this.sentence(role));
    this.showMoves(role);
    this.showGoals();
  }

  sentence(role) {
    const { node, step } = this.answer;
    const scores = node.goals.map((goal, at) => `${words(this.roles[at])} ${goal ?? "–"}`).join(", ");
    if (node.terminal) return `Step ${step}. Over: ${scores}.`;
    const blocked = node.legal.findIndex((moves) => moves.length === 0);
    if (blocked >= 0) return `Step ${step}. ${words(this.roles[blocked])} has no legal move.`;
    if (role < 0) return `Step ${step}. Nobody has a choice.`;
    return `Step ${step}. ${words(this.roles[role])} chooses.`;
  }

  showMoves(active) {
    const { legal, terminal } = this.answer.node;
    if (terminal) {
      this.moves.replaceChildren(el("p", { class: "reason" }, "None: the game is over."));
      return;
    }
    const meant = new Set(
      this.chosen.length && active >= 0
        ? read(legal[active], this.chosen, this.board.shape).meant.map(({ move }) => move)
        : [],
    );
    const chip = (role) => (one) => {
      const plays = el(
        "button",
        {
          type: "button",
          class: `chip${meant.has(one.move) ? " choice" : ""}`,
          "aria-pressed": String(this.choice[role] === one.move),
          "data-move": one.move,
          onclick: () => this.choose(role, one.move),
          onmouseenter: () => this.board?.point(one.squares ?? []),
          onmouseleave: () => this.board?.point([]),
        },
        moveText(one.move),
      );
      const name = `(legal ${this.roles[role]} ${one.move})`;
      const asks = el(
        "button",
        {
          type: "button",
          class: "ask",
          title: `why ${name}?`,
          "aria-label": `why ${name}?`,
          onclick: () => this.why(name),
        },
        "?",
      );
      return el("span", { class: "pair" }, plays, asks);
    };
    const rows = this.roles.map((name, role) => {
      const moves = legal[role];
      const more = moves.length > SHOWN ? el("span", {}, ` and ${moves.length - SHOWN} more`) : null;
      return el(
        "div",
        { class: `role${role === active ? " active" : ""}` },
        el("h3", {}, `${words(name)}: ${moves.length}`),
        moves.slice(0, SHOWN).map(chip(role)),
        more,
      );
    });
    this.moves.replaceChildren(...rows);
  }

  showGoals() {
    const { node } = this.answer;
    const chip = (atom, text) =>
      el("button", { type: "button", class: "chip", onclick: () => this.why(atom) }, text);
    const goals = node.goals.flatMap((goal, role) =>
      goal === null
        ? []
        : [chip(`(goal ${this.roles[role]} ${goal})`, `goal ${words(this.roles[role])} ${goal}`)],
    );
    const terminal = chip("terminal", node.terminal ? "terminal" : "not terminal");
    this.goals.replaceChildren(terminal, ...goals);
  }

  showFacts() {
    const { facts, gone } = this.answer.node;
    const fact = (one) =>
      el(
        "li",
        { class: one.new ? "new" : null },
        el(
          "button",
          {
            type: "button",
            class: "chip",
            title: one.new ? "new in this state" : null,
            onclick: () => this.why(`(true ${one.fact})`),
            onmouseenter: () => this.board?.point(one.square === null ? [] : [one.square]),
            onmouseleave: () => this.board?.point([]),
          },
          one.new ? "+ " : "",
          one.fact,
        ),
      );
    const left = (text) => el("li", { class: "gone" }, el("s", { title: "no longer in this state" }, text));
    const sorted = [...facts.filter((one) => one.new), ...facts.filter((one) => !one.new)];
    const more = sorted.length > SHOWN ? [el("li", {}, `and ${sorted.length - SHOWN} more`)] : [];
    const seen = this.answer.node.seen.flatMap((percepts, role) =>
      percepts.map((percept) =>
        el("li", {}, el("b", {}, `${words(this.roles[role])} sees `), el("code", {}, percept)),
      ),
    );
    this.seen.replaceChildren(...seen);
    this.facts.replaceChildren(
      ...sorted
        .filter((one) => one.new)
        .slice(0, SHOWN)
        .map(fact),
      ...gone.slice(0, SHOWN).map(left),
      ...sorted
        .filter((one) => !one.new)
        .slice(0, SHOWN)
        .map(fact),
      ...more,
    );
  }
}
