// The front page: the gallery, the choice of who plays, and the wait until a game is ready.

import * as api from "./api.js";
import { el, say, toast, words } from "./dom.js";
import { drawing, Gallery, played } from "./gallery.js";
import { seatForms } from "./seats.js";
import { Upload } from "./upload.js";

/** How often it is asked how far a preparation is, in ms. */
const ASK = 250;

export class Setup {
  constructor(page, allowed, opened) {
    this.allowed = allowed;
    this.opened = opened;
    this.record = null;
    say(document.getElementById("title"), "Games");
    document.title = "ggp";
    this.form = el("form", { class: "setup", onsubmit: (event) => this.start(event) });
    this.dialog = el(
      "dialog",
      { class: "panel", "aria-label": "who plays", onclose: () => this.left() },
      this.form,
    );
    page.classList.add("home");
    if (allowed.watched) {
      page.append(
        el(
          "p",
          { class: "panel" },
          el("a", { href: `#s=${allowed.watched}` }, "Watch the match that is being played"),
        ),
      );
    }
    this.gallery = new Gallery(page, allowed.summaries, (summary, picture) =>
      this.choose({ game: summary.name }, summary, picture),
    );
    this.upload = new Upload(
      page,
      allowed,
      (wanted, roles) => this.ask(wanted, roles, []),
      (name, text) => this.take(name, text),
    );
    page.append(this.dialog);
  }

  close() {
    this.gallery.close();
    this.upload.close();
    this.waiting?.abort();
    this.dialog.close();
  }

  /** Takes a saved match, and asks for its game. */
  take(file, text) {
    this.record = text;
    try {
      const saved = JSON.parse(text);
      if (!saved.known && !Array.isArray(saved.moves)) throw new Error("it has no moves");
      // In a match of hidden information that is not over, the same people play on.
      this.people = saved.known?.roles ?? null;
      const name = String(saved.gameMetaURL ?? saved.known?.game ?? "")
        .replace(/\/+$/, "")
        .replace(/^.*[\\/]/, "")
        .replace(/\.kif$/, "");
      if (this.allowed.games.includes(name)) this.choose({ game: name });
      else {
        const of = name ? `The match is of the game “${name}”` : "The match does not name its game";
        toast(`${of}: choose its rules, and it is loaded.`);
      }
    } catch (error) {
      this.record = null;
      toast(`${file} is no match: ${error.message}`);
    }
  }

  async choose(wanted, summary, picture) {
    try {
      const { roles } = await api.look(wanted);
      if (!roles) throw new Error("the rules have errors: edit them in the studio");
      const shown = [
        picture && !picture.error
          ? el("div", { class: "thumb", "aria-hidden": "true" }, drawing(picture))
          : null,
        summary?.about ? el("p", { class: "reason" }, summary.about) : null,
      ];
      this.ask(wanted, roles, shown);
    } catch (error) {
      toast(error.message);
    }
  }

  /** Asks who plays. `shown` are elements about the game. */
  ask(wanted, roles, shown) {
    // The modules of the next page are loaded while a person chooses.
    import("./table.js");
    import("./curtain.js");
    this.wanted = wanted;
    const people = this.record ? this.people : null;
    const players = roles.filter((role) => !role.nature);
    const seats =
      people && players.map(({ name }) => ({ kind: people.includes(name) ? "person" : "engine" }));
    this.seats = seatForms(roles, this.allowed, seats);
    this.button = el("button", { type: "submit", class: "main" }, this.record ? "Load the match" : "Play");
    this.progress = el("p", { class: "reason", role: "status", hidden: true });
    this.leave = el("button", { type: "button", id: "cancel", onclick: () => this.cancel() }, "Cancel");
    this.form.replaceChildren(
      ...[
        el("h2", {}, words(wanted.game ?? wanted.name)),
        ...shown,
        ...this.seats.map((seat) => seat.element),
        this.record ? el("p", {}, "A saved match will be gone on with.") : null,
        this.progress,
        el("div", { class: "group start" }, this.button, this.leave, this.editing(wanted)),
      ].filter(Boolean),
    );
    if (!this.dialog.open) this.dialog.showModal();
    this.button.focus();
  }

  /** A way into the studio with the rules of `wanted`. */
  editing(wanted) {
    if (wanted.game)
      return el(
        "a",
        { class: "button", id: "edit", href: `#edit=${encodeURIComponent(wanted.game)}` },
        "Edit the rules",
      );
    const edit = async () => {
      const { paste } = await import("./files.js");
      paste(wanted.name, wanted.rules);
      location.hash = "new=pasted";
    };
    return el("button", { type: "button", id: "edit", onclick: edit }, "Edit the rules");
  }

  /** Ends the preparation of the game, or the choice of it. */
  cancel() {
    if (this.waiting) this.waiting.abort();
    else this.dialog.close();
  }

  /** The dialogue is closed. */
  left() {
    this.waiting?.abort();
    this.record = null;
  }

  async start(event) {
    event.preventDefault();
    const waiting = new AbortController();
    this.waiting = waiting;
    this.button.disabled = true;
    const ticket = crypto.getRandomValues(new Uint32Array(2)).join("-");
    const asking = setInterval(() => this.tell(ticket), ASK);
    this.progress.hidden = false;
    say(this.progress, "…");
    const seats = this.seats.map((seat) => seat.read());
    try {
      const wanted = { ...this.wanted, seats, record: this.record ?? undefined, ticket };
      const session = await api.open(wanted, waiting.signal);
      if (this.wanted.game) played(this.wanted.game);
      this.waiting = null;
      this.opened(session);
    } catch (error) {
      if (!waiting.signal.aborted) toast(error.message);
    } finally {
      clearInterval(asking);
      this.waiting = null;
      this.button.disabled = false;
      this.progress.hidden = true;
    }
  }

  /** Tells what the machine does for the request `ticket`. */
  async tell(ticket) {
    const { stage, seconds } = await api.loading(ticket).catch(() => ({}));
    if (stage && this.waiting) say(this.progress, `The machine is ${stage}: ${seconds.toFixed(0)} s`);
  }
}
