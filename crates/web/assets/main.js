// Which page is shown: the choice of games, or the session or the studio that the address names.

import * as api from "./api.js";
import { el } from "./dom.js";
import { Setup } from "./setup.js";

const main = document.getElementById("main");
const nav = document.getElementById("nav");
let shown = null;
// So many pages have been begun; a page that is late gives way to the one that has been begun after it.
let turn = 0;

/** Shows the page anew. */
async function show() {
  shown?.close();
  shown = null;
  turn += 1;
  const own = turn;
  nav.replaceChildren();
  const address = location.hash.slice(1);
  const wanted = Object.fromEntries(new URLSearchParams(address));
  const id = wanted.s;
  const page = el("div", { class: "page" });
  main.replaceChildren(page);
  try {
    if (id) {
      const session = new api.Session(id);
      const [about, { Table }, { Curtain, hides }] = await Promise.all([
        session.about(),
        import("./table.js"),
        import("./curtain.js"),
      ]);
      if (own !== turn) return;
      shown = new (hides(about.status.sight) ? Curtain : Table)(page, nav, session, about, show);
    } else if (wanted.replay) {
      const { id: opened } = await api.open({ replay: wanted.replay });
      // The way back leads to where the link was.
      if (own === turn) location.replace(`#s=${opened}`);
    } else if (wanted.matches !== undefined) {
      const [{ Records }, found] = await Promise.all([import("./records.js"), api.records()]);
      if (own === turn) shown = new Records(page, found);
    } else if (wanted.edit || wanted.new) {
      // The studio is loaded by those who want it.
      const { openStudio } = await import("./studio.js");
      const studio = await openStudio(page, nav, address, wanted);
      if (own !== turn) studio.close();
      else shown = studio;
    } else if (wanted.new !== undefined) {
      const { Begin } = await import("./begin.js");
      const about = await api.studio();
      if (own === turn) shown = new Begin(page, about);
    } else {
      nav.append(el("a", { class: "button", id: "new", href: "#new" }, "New game"));
      const allowed = await api.games();
      if (own !== turn) return;
      if (allowed.records)
        nav.prepend(el("a", { class: "button", id: "matches", href: "#matches" }, "Matches"));
      shown = new Setup(page, allowed, (opened) => {
        location.hash = `s=${opened.id}`;
      });
    }
  } catch (error) {
    page.replaceChildren(
      el("p", { class: "empty" }, error.message),
      el("p", { class: "empty" }, el("a", { href: "#" }, "Choose a game")),
    );
  }
}

addEventListener("hashchange", show);
show();
