// A match: the board, who plays, what can be done, and what was.

import * as api from "./api.js";
import { Board } from "./board.js";
import { download, el, label, moveText, say, toast, words } from "./dom.js";
import { History, Tree } from "./history.js";
import { read } from "./input.js";
import { learntPanel } from "./learnt.js";
import { LegalMoves } from "./legal.js";
import { Players, times } from "./players.js";
import { Result } from "./result.js";
import { seatForms } from "./seats.js";
import { sentence } from "./sentence.js";
import { beside } from "./side.js";
import { Sound } from "./sound.js";
import { lineOf, Thinking } from "./thinking.js";

/** So many moves of the line behind a hint are shown. */
const BEHIND = 2;

export class Table {
  /** `again` is called when the page sees something else, such as the view of another role. */
  constructor(page, nav, session, about, again) {
    this.session = session;
    this.about = about;
    this.again = again;
    this.status = about.status;
    this.sight = JSON.stringify(about.status.sight);
    this.roles = about.roles;
    this.colours = about.board.colours;
    this.nodes = new Map();
    this.tree = new Tree();
    // The state that is looked at, and whether it is always the last one.
    this.view = null;
    this.follows = true;
    this.lineEnd = 0;
    this.node = null;
    this.chosen = [];
    this.sound = new Sound();
    say(document.getElementById("title"), words(about.game));
    document.title = `${words(about.game)} – ggp`;
    this.build(page, nav);
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.unlisten = session.listen(
      () => this.tree.nodes.length,
      (status) => this.update(status),
      () => this.closed(),
    );
    this.update(about.status);
  }

  close() {
    this.unlisten();
    removeEventListener("keydown", this.keys);
    this.players.close();
    this.board?.close();
  }

  /** The session has ended; of matches that are watched there may be a next one. */
  async closed() {
    const { watched } = this.status.watched ? await api.games() : {};
    if (watched) location.hash = `s=${watched}`;
    else toast("This session has ended: it was left for too long, or closed.");
  }

  build(page, nav) {
    const button = (text, title, action, id) =>
      el("button", { type: "button", title, "aria-label": label(text, title), id, onclick: action }, text);
    this.players = new Players(this.roles, this.colours);
    this.result = new Result(this.about, this.colours, this.session);
    this.boards = el("div", { class: `boards ${this.about.board.kind}` });
    this.state = el("p", { class: "state", role: "status" });
    this.moves = el("div", { class: "choices", role: "group", "aria-label": "moves" });
    this.back = button("‹", "one step back (←)", () => this.walk(-1), "back");
    this.start = button("«", "to the start", () => this.look(0), "start");
    this.forth = button("›", "one step forth (→)", () => this.walk(1), "forth");
    this.end = button("»", "to the last state", () => this.toTip(), "end");
    this.undo = button("Undo", "take back (u)", () => this.act("undo"), "undo");
    this.hint = button("Hint", "ask the engine (h)", () => this.advise(), "hint");
    this.now = button("Move now", "the engine has to answer at once (n)", () => this.act("hurry"), "now");
    this.hold = button(
      "Pause",
      "let the engines wait, or go on",
      () => this.act("hold", { hold: !this.status.held }),
      "hold",
    );
    this.go = button(
      "Play on from here",
      "begin a new line here",
      () => this.act("go", { node: this.view }),
      "go",
    );
    this.turn = button("Flip", "turn the board (f)", () => this.board.flip(!this.board.isFlipped), "flip");
    this.turn.hidden = this.about.board.kind === "table";
    this.loud = button("Sound", "sounds on or off (s)", () => this.switchSound(), "sound");
    this.loud.setAttribute("aria-pressed", String(this.sound.on));
    this.controls = el(
      "div",
      { class: "controls" },
      el("div", { class: "group" }, this.start, this.back, this.forth, this.end),
      el("div", { class: "group" }, this.undo, this.hint, this.now, this.hold, this.go),
      el("div", { class: "group" }, this.turn, this.loud),
    );
    this.side = el("div", { class: "facts" });
    const history = el("section", { class: "panel" }, el("h2", {}, "Moves"));
    const thinking = el("section", { class: "panel thinking" }, el("h2", {}, "Thinking"));
    this.legal = new LegalMoves(
      (move) => this.play(move),
      (moves) => this.showArrows(moves),
      () => this.listMoves(),
    );
    this.seats = el("details", { class: "panel" }, el("summary", {}, "Who plays"));
    this.seats.addEventListener("toggle", () => this.showSeats());
    page.classList.add("table");
    page.append(
      el(
        "section",
        { class: "stage" },
        this.players.list,
        this.boards,
        this.state,
        this.result.element,
        this.moves,
        this.controls,
        this.side,
        this.players.note,
      ),
      el("aside", {}, history, thinking, this.legal.element, this.seats, learntPanel(this.about.learnt)),
    );
    this.saving = button("Save", "save the match", () => this.save(), "save");
    nav.append(this.saving, el("a", { class: "button", href: "#" }, "New"));
    this.history = new History(history, this.colours, (number) => this.look(number));
    this.thinking = new Thinking(thinking, this.roles, this.colours, (moves) => this.showArrows(moves));
    if (this.about.board.kind !== "table") {
      this.board = new Board(
        this.boards,
        this.about,
        (square) => this.click(square),
        (square) => this.ahead(square),
      );
      this.result.board = this.board;
    }
  }

  /** Asks the server for something; what it answers is where the session stands. */
  async act(action, body) {
    // What is asked for goes out before anything is drawn.
    const asked = this.session.act(action, { ...body, from: this.tree.nodes.length });
    this.acting = true;
    this.render();
    try {
      const status = await asked;
      this.acting = false;
      this.chosen = [];
      this.follows = true;
      await this.update(status);
    } catch (error) {
      this.acting = false;
      this.chosen = [];
      toast(error.message);
      this.render();
    }
  }

  /** The session stands differently now. */
  async update(status) {
    if (JSON.stringify(status.sight) !== this.sight) {
      this.again();
      return;
    }
    if (status.states) this.tree.add(status.states);
    if (status.node) this.keep(status.node);
    if (status.turn < this.status.turn) {
      // An event was faster than the answer; but what waited for the answer can go on now.
      this.render();
      return;
    }
    this.status = status;
    try {
      if (this.follows && this.view !== this.status.tip) await this.show(this.status.tip);
      else this.render();
    } catch (error) {
      toast(error.message);
    }
  }

  async fetch(number) {
    if (!this.nodes.has(number)) {
      this.keep(await this.session.node(number));
    }
    return this.nodes.get(number);
  }

  keep(node) {
    if (this.nodes.size > 400) this.nodes.clear();
    this.nodes.set(node.number, node);
  }

  /** Looks at the state `number`. */
  async show(number) {
    this.wanted = number;
    const node = await this.fetch(number);
    if (this.wanted !== number) return;
    const from = this.view;
    this.view = number;
    this.node = node;
    this.chosen = [];
    if (!this.tree.line(this.lineEnd).includes(number) || this.follows) this.lineEnd = number;
    if (from === null) {
      const people = this.status.seats.flatMap((seat, role) => (seat?.kind === "person" ? [role] : []));
      if (people.length === 1) this.board?.seat(node, people[0]);
    }
    this.board?.show(node, from);
    if (from !== null && node.parent === from) this.hear(node);
    this.render();
  }

  async look(number) {
    this.follows = number === this.status.tip;
    await this.show(number);
  }

  async toTip() {
    this.follows = true;
    await this.show(this.status.tip);
  }

  walk(by) {
    const line = this.tree.line(this.lineEnd);
    const next = line[line.indexOf(this.view) + by];
    if (next !== undefined) this.look(next);
  }

  /** The role that a person chooses for in the state that is looked at; -1 for none. */
  role() {
    if (!this.node || this.node.terminal || this.status.watched || this.isBusy()) return -1;
    const isTip = this.view === this.status.tip;
    if (this.about.hidden) {
      const own = this.status.sight?.kind === "role" ? this.status.sight.role : -1;
      return isTip && own >= 0 && !this.status.chosen[own] ? own : -1;
    }
    const waits = (role) =>
      this.status.seats[role]?.kind === "person" && !(isTip && this.status.chosen[role]);
    const people = this.roles.map((_, role) => role).filter(waits);
    // Whoever has a choice goes first; where nobody has one, somebody has to go on all the same.
    const decides = ({ length, 0: first }) => length > 1 || (length === 1 && first.kind !== "button");
    const nobody = isTip && !this.node.legal.some(decides);
    return people.find((role) => decides(this.node.legal[role])) ?? (nobody ? (people[0] ?? -1) : -1);
  }

  /** Whether something is on its way that will change what is shown. */
  isBusy() {
    return this.acting || (this.follows && this.view !== this.status.tip);
  }

  render() {
    if (!this.node) return;
    const { node, status } = this;
    const isTip = this.view === status.tip;
    const role = this.role();
    const moves = role < 0 ? [] : node.legal[role];
    const line = this.tree.line(this.lineEnd);
    const used = times(this.tree, this.tree.line(this.view), this.roles);
    const shown = { ...node, choosing: this.tree.nodes[this.view]?.choosing };
    this.players.show({ status, node: shown, active: role, isTip, used });
    this.result.show(node.terminal && isTip ? node : null, status);
    this.showArrows([]);
    if (this.board) {
      const { next } = read(moves, this.chosen, this.board.shape);
      this.board.mark(next, this.chosen);
    }
    this.showChoices(moves);
    // Until what is on its way is there, the list stays, and with it the focus.
    if (!this.isBusy()) this.listMoves();
    say(this.state, sentence(this, role, isTip));
    this.showSide();
    const at = line.indexOf(this.view);
    this.start.disabled = this.back.disabled = at <= 0;
    this.forth.disabled = at === line.length - 1;
    this.end.disabled = isTip;
    // The hidden facts stay the same, so nobody takes back or begins anew before the match is over.
    const isHidden = Boolean(status.sight);
    this.undo.disabled = !isTip || status.watched || line.length < 2 || isHidden;
    this.seats.hidden = isHidden;
    this.hint.disabled = !isTip || role < 0;
    this.now.disabled = status.working === null;
    const engines = status.seats.some((seat) => seat && seat.kind !== "person");
    this.hold.disabled = !engines || status.watched || node.terminal;
    say(this.hold, status.held ? "Go on" : "Pause");
    this.go.disabled = isTip || node.terminal || status.watched || isHidden;
    this.history.show(this.tree, line, this.view);
    const past = isTip ? status.thought : this.past(line[at + 1]);
    this.thinking.show(past ?? (isTip ? this.past(this.view) : null));
    this.thinking.over(line.map((number) => this.tree.nodes[number]?.scores ?? []));
  }

  /** What was thought before the state `number`, if that is known. */
  past(number) {
    return this.nodes.get(number)?.thoughts.find((thought) => thought);
  }

  /** Buttons for the moves that name no square, or for what several moves on one square mean. */
  showChoices(moves) {
    let shown = [];
    const button = (move, text) =>
      el(
        "button",
        { type: "button", class: "choice", "data-move": move.move, onclick: () => this.play(move.move) },
        text,
      );
    if (this.chosen.length && this.board) {
      const { meant } = read(moves, this.chosen, this.board.shape);
      shown = meant.map((move) => button(move, move.rest?.map(words).join(" ") || moveText(move.move)));
    } else {
      const plain = moves.filter((move) => move.kind === "button");
      shown = plain.slice(0, 60).map((move) => button(move, words(moveText(move.move))));
      if (plain.length > 60)
        shown.push(el("span", {}, `and ${plain.length - 60} more in the list of legal moves`));
    }
    const key = shown.map((element) => element.dataset.move ?? "").join("\n") + this.chosen;
    if (key !== this.choicesDrawn) this.moves.replaceChildren(...shown);
    this.choicesDrawn = key;
  }

  showSide() {
    if (this.sideDrawn === this.node.number) return;
    this.sideDrawn = this.node.number;
    this.side.replaceChildren(...beside(this.node, this.about.board.kind === "table"));
  }

  listMoves() {
    if (this.node) this.legal.list(this.node.legal, this.roles, this.role());
  }

  showSeats() {
    if (!this.seats.open || this.seats.childElementCount > 1) return;
    const roles = this.roles.map((name, role) => ({ name, nature: this.status.seats[role] === null }));
    const seats = this.status.seats.filter(Boolean);
    const forms = seatForms(roles, { remote: true, longest: 120 }, seats);
    const change = () => this.act("seats", { seats: forms.map((form) => form.read()) });
    const apply = el("button", { type: "button", onclick: change }, "Change");
    this.seats.append(...forms.map((form) => form.element), apply);
  }

  /** The squares that can be chosen after `square`. */
  ahead(square) {
    const role = this.role();
    return role < 0 ? new Set() : read(this.node.legal[role], [square], this.board.shape).next;
  }

  /** Plays the sound of the step to `node`. */
  hear(node) {
    const before = this.nodes.get(node.parent);
    const men = ({ squares }) => squares.filter((tokens) => tokens.length).length;
    const isCapture = before && men(node) < men(before);
    this.sound.play(node.terminal ? "end" : isCapture ? "capture" : "move");
  }

  switchSound() {
    this.sound.turn(!this.sound.on);
    this.loud.setAttribute("aria-pressed", String(this.sound.on));
  }

  /** Shows moves as arrows; without any, a hint with the line behind it. */
  showArrows(moves) {
    if (!this.board) return;
    const { thought, tip } = this.status;
    const isHint = thought?.hint && this.view === tip && thought.node === tip;
    const hinted = isHint && thought.candidates[0]?.visits > 0 ? this.hinted(thought) : [];
    const arrow = ({ squares, role, faint }) => ({
      squares,
      faint,
      colour: faint ? this.colours[role] : null,
    });
    this.board.arrows.show((moves.length ? moves : hinted).map(arrow));
  }

  hinted({ role, candidates, principal }) {
    const [best] = candidates;
    const follows = principal[0]?.moves[role] === best.move ? principal.slice(1) : [];
    const behind = lineOf(follows).slice(0, BEHIND);
    return [...behind.map((one) => ({ ...one, faint: true })).reverse(), { squares: best.squares, role }];
  }

  click(square) {
    const role = this.role();
    if (role < 0) return;
    const moves = this.node.legal[role];
    let next = read(moves, this.chosen, this.board.shape).next;
    if (!next.has(square)) {
      // The same square again lets go; another one begins anew.
      const again = this.chosen.at(-1) === square;
      this.chosen = [];
      next = read(moves, [], this.board.shape).next;
      if (again || !next.has(square)) return this.render();
    }
    this.chosen = [...this.chosen, square];
    const after = read(moves, this.chosen, this.board.shape);
    if (after.meant.length === 1 && after.next.size === 0) return this.play(after.meant[0].move);
    this.render();
  }

  async play(move) {
    const role = this.role();
    if (role >= 0) await this.act("move", { node: this.view, role, move });
  }

  advise() {
    const role = this.role();
    const seconds = this.status.advising === null ? 2 : 0;
    if (role >= 0) this.act("advise", { node: this.view, role, seconds });
  }

  async save() {
    try {
      const record = await this.session.record(this.lineEnd);
      download(`${this.about.game}.json`, JSON.stringify(record), "application/json");
    } catch (error) {
      toast(error.message);
    }
  }

  key(event) {
    const typing = event.target.closest?.("input, select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.walk(-1),
      ArrowRight: () => this.walk(1),
      Home: () => this.look(0),
      End: () => this.toTip(),
      u: () => this.undo.click(),
      h: () => this.hint.click(),
      n: () => this.now.click(),
      f: () => this.turn.click(),
      s: () => this.loud.click(),
      Escape: () => {
        this.chosen = [];
        this.render();
      },
      "/": () => {
        this.legal.focus();
      },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
