// A match: the board, who plays, what can be done, and what was.

import * as api from "./api.js";
import { Board } from "./board.js";
import { el, moveText, say, toast, words } from "./dom.js";
import { History, Tree } from "./history.js";
import { read } from "./input.js";
import { seatForms } from "./setup.js";
import { beside } from "./side.js";
import { Thinking } from "./thinking.js";

const KINDS = { person: "you", engine: "engine", random: "random", remote: "elsewhere", elsewhere: "" };

/** So many legal moves are listed at once. */
const LISTED = 200;

function seatText(seat, reasoner) {
  if (!seat) return "chance";
  if (seat.kind !== "engine") return KINDS[seat.kind];
  const name = reasoner.name === "datalog" ? "engine on the interpreter (weak)" : "engine";
  return seat.iterations
    ? `${name}, ${seat.iterations.toLocaleString("en")} iterations`
    : `${name}, ${seat.seconds} s`;
}

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
  }

  /** The session has ended; of matches that are watched there may be a next one. */
  async closed() {
    const { watched } = this.status.watched ? await api.games() : {};
    if (watched) location.hash = `s=${watched}`;
    else toast("This session has ended: it was left for too long, or closed.");
  }

  build(page, nav) {
    const button = (text, title, action, id) =>
      el("button", { type: "button", title, "aria-label": title, id, onclick: action }, text);
    this.players = el("ul", { class: "players", "aria-label": "players" });
    this.boards = el("div", { class: `boards ${this.about.board.kind}` });
    this.state = el("p", { class: "state", role: "status" });
    this.moves = el("div", { class: "choices", "aria-label": "moves" });
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
    this.controls = el(
      "div",
      { class: "controls" },
      el("div", { class: "group" }, this.start, this.back, this.forth, this.end),
      el("div", { class: "group" }, this.undo, this.hint, this.now, this.hold, this.go),
    );
    this.side = el("div", { class: "facts" });
    this.filter = el("input", {
      type: "search",
      placeholder: "type a move, Enter plays it (/)",
      "aria-label": "legal moves that contain",
      oninput: () => this.listMoves(),
      onkeydown: (event) => {
        if (event.key === "Enter") this.listed?.querySelector("button")?.click();
      },
    });
    this.listed = el("div", { class: "legal" });
    const history = el("section", { class: "panel" }, el("h2", {}, "Moves"));
    const thinking = el("section", { class: "panel thinking" }, el("h2", {}, "Thinking"));
    const legal = el(
      "details",
      { class: "panel" },
      el("summary", {}, "Legal moves"),
      this.filter,
      this.listed,
    );
    legal.addEventListener("toggle", () => this.listMoves());
    this.legal = legal;
    this.seats = el("details", { class: "panel" }, el("summary", {}, "Who plays"));
    this.seats.addEventListener("toggle", () => this.showSeats());
    page.classList.add("table");
    page.append(
      el(
        "section",
        { class: "stage" },
        this.players,
        this.boards,
        this.state,
        this.moves,
        this.controls,
        this.side,
      ),
      el("aside", {}, history, thinking, legal, this.seats),
    );
    this.saving = button("Save", "save the match", () => this.save(), "save");
    nav.append(this.saving, el("a", { class: "button", href: "#" }, "New"));
    this.history = new History(history, (number) => this.look(number));
    this.thinking = new Thinking(thinking, this.roles, this.colours, (squares) => this.board?.point(squares));
    if (this.about.board.kind !== "table") {
      this.board = new Board(this.boards, this.about, (square) => this.click(square));
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
    this.board?.show(node, from);
    this.render();
    this.listMoves();
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
    this.showPlayers(role, isTip);
    if (this.board) {
      const { next } = read(moves, this.chosen, this.board.shape);
      this.board.mark(next, this.chosen);
    }
    this.showChoices(moves);
    say(this.state, this.sentence(role, isTip));
    this.showSide();
    const line = this.tree.line(this.lineEnd);
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

  sentence(role, isTip) {
    const { node, status } = this;
    if (status.note) return status.note;
    if (node.terminal) {
      const remarks = { none: " (the rules give no goal)", several: " (the largest of several goals)" };
      const goals = this.rivals().map(
        (at) => `${words(this.roles[at])} ${node.goals[at]}${remarks[node.given[at]] ?? ""}`,
      );
      return `Over: ${goals.join(", ")}. ${this.verdict()}`;
    }
    if (this.isBusy()) return "…";
    if (!isTip && status.sight?.kind === "role") return "What you knew at that time.";
    if (!isTip) return role >= 0 ? "An earlier state: move to begin a new line." : "An earlier state.";
    if (status.watched || status.sight?.kind === "everything") return "Watching.";
    if (role >= 0) {
      const several = status.seats.filter((seat) => seat?.kind === "person").length > 1;
      const who = several ? `${words(this.roles[role])}, choose` : "Your move";
      return this.chosen.length ? `${who}: from ${this.board.name(this.chosen.at(-1))} to …` : `${who}.`;
    }
    if (status.held) return "Paused.";
    if (status.sight) return "Waiting for the others …";
    if (status.working !== null) return `${words(this.roles[status.working])} is thinking …`;
    return "Waiting …";
  }

  /** The roles whose moves are not chance. */
  rivals() {
    return this.roles.map((_, role) => role).filter((role) => this.status.seats[role] !== null);
  }

  verdict() {
    const goals = this.rivals().map((role) => this.node.goals[role]);
    const people = this.status.seats
      .map((seat, role) => [seat, role])
      .filter(([seat]) => seat?.kind === "person");
    if (people.length !== 1) return "";
    const own = this.node.goals[people[0][1]];
    if (goals.length === 1) return own === 100 ? "Solved!" : "";
    const best = Math.max(...goals);
    if (own < best) return "You lose.";
    return goals.filter((goal) => goal === best).length > 1 ? "A draw." : "You win!";
  }

  showPlayers(active, isTip) {
    const { status } = this;
    const player = (name, role) => {
      const seat = status.seats[role];
      const decides = this.node.legal[role].length > 1;
      const chosen = isTip && this.status.chosen[role] && decides;
      const goal = this.node.terminal ? this.node.goals[role] : null;
      const thinks = this.status.working === role && isTip;
      const mark = goal !== null ? `${goal}` : chosen ? "✓" : thinks ? "…" : "";
      const dot = el("span", { class: "dot" });
      dot.style.setProperty("--fill", this.colours[role]);
      return el(
        "li",
        { class: role === active || thinks ? "active" : null },
        dot,
        el("span", { class: "name" }, words(name)),
        el("span", { class: "who", title: status.reasoner.why }, seatText(seat, status.reasoner)),
        el("span", { class: "mark", "aria-label": chosen ? "has chosen" : null }, mark),
      );
    };
    const items = this.roles.map(player);
    const text = items.map((item) => item.outerHTML).join("");
    if (text !== this.playersDrawn) this.players.replaceChildren(...items);
    this.playersDrawn = text;
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
    if (!this.legal.open || !this.node) return;
    const role = this.role();
    const of = role >= 0 ? [role] : this.roles.map((_, at) => at);
    const text = this.filter.value.trim().toLowerCase();
    const items = of.flatMap((at) =>
      this.node.legal[at]
        .filter((move) => moveText(move.move).toLowerCase().includes(text))
        .map((move) => {
          const shown = role >= 0 ? moveText(move.move) : `${this.roles[at]}: ${moveText(move.move)}`;
          const item = el(
            "button",
            { type: "button", class: "chip", disabled: role < 0, onclick: () => this.play(move.move) },
            shown,
          );
          const point = (squares) => () => this.board?.point(squares);
          item.addEventListener("mouseenter", point(move.squares ?? []));
          item.addEventListener("mouseleave", point([]));
          return item;
        }),
    );
    const more = items.length > LISTED ? [el("span", {}, `and ${items.length - LISTED} more`)] : [];
    this.listed.replaceChildren(...items.slice(0, LISTED), ...more);
  }

  showSeats() {
    if (!this.seats.open || this.seats.childElementCount > 1) return;
    const roles = this.roles.map((name, role) => ({ name, nature: this.status.seats[role] === null }));
    const kinds = this.status.seats.filter(Boolean).map((seat) => seat.kind);
    const forms = seatForms(roles, { remote: true, longest: 120 }, kinds);
    const change = () => this.act("seats", { seats: forms.map((form) => form.read()) });
    const apply = el("button", { type: "button", onclick: change }, "Change");
    this.seats.append(...forms.map((form) => form.element), apply);
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
      const address = URL.createObjectURL(new Blob([JSON.stringify(record)], { type: "application/json" }));
      el("a", { href: address, download: `${this.about.game}.json` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
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
      Escape: () => {
        this.chosen = [];
        this.render();
      },
      "/": () => {
        this.legal.open = true;
        this.filter.focus();
      },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
