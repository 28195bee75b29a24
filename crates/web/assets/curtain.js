// A match that the page does not see now: a curtain before the next person, or a wait for the end.

import { el, say, toast, words } from "./dom.js";

/** Whether the page sees nothing of the match now. */
export const hides = (sight) => sight?.kind === "curtain" || sight?.kind === "nothing";

export class Curtain {
  /** Shows the players alone; `again` is called when the page sees something else. */
  constructor(page, nav, session, about, again) {
    this.session = session;
    this.roles = about.roles;
    this.again = again;
    this.state = el("p", { class: "state", role: "status" });
    this.lift = el("button", { type: "button", class: "main", id: "lift", onclick: () => this.raise() });
    const seats = about.status.seats.map((seat, role) =>
      el(
        "li",
        {},
        el("span", { class: "name" }, words(about.roles[role])),
        ` ${seat ? seat.kind : "chance"}`,
      ),
    );
    page.classList.add("table");
    page.append(
      el(
        "section",
        { class: "stage curtain" },
        el("ul", { class: "players", "aria-label": "players" }, seats),
        this.state,
        this.lift,
      ),
    );
    nav.append(el("a", { class: "button", href: "#" }, "New"));
    say(document.getElementById("title"), words(about.game));
    document.title = `${words(about.game)} – ggp`;
    this.unlisten = session.listen(
      () => 0,
      (status) => this.update(status),
      () => toast("This session has ended: it was left for too long, or closed."),
    );
    this.update(about.status);
  }

  close() {
    this.unlisten();
  }

  update({ sight, count, note }) {
    if (!hides(sight)) {
      this.again();
      return;
    }
    const next = sight.kind === "curtain" ? sight.role : null;
    this.lift.hidden = next === null;
    if (next !== null) {
      const name = words(this.roles[next]);
      say(this.state, note ?? `${name} moves next.`);
      say(this.lift, `I play ${name}, and nobody else looks`);
      if (this.next !== next) this.lift.focus();
    } else {
      const steps = count === 1 ? "The match has begun" : `Step ${count - 1}`;
      say(this.state, note ?? (sight.kind === "curtain" ? "…" : `${steps}: hidden until the match ends.`));
    }
    this.next = next;
  }

  async raise() {
    try {
      await this.session.act("lift", { role: this.next });
      this.again();
    } catch (error) {
      toast(error.message);
    }
  }
}
