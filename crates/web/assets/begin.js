// How an author begins: with a template, or with nothing.

import { el, say } from "./dom.js";

export class Begin {
  constructor(page, about) {
    say(document.getElementById("title"), "New game");
    document.title = "New game – ggp";
    page.classList.add("home");
    const card = (href, title, text) =>
      el(
        "li",
        {},
        el("a", { class: "card button", href }, el("span", { class: "name" }, title), el("small", {}, text)),
      );
    page.append(
      el("p", {}, "Begin with a small complete game, and change it until it is yours."),
      el(
        "ul",
        { class: "games templates" },
        about.templates.map((one) => card(`#new=${one.name}`, one.title, one.about)),
        card("#new=empty", "An empty text", "For those who know how games are written."),
      ),
      el(
        "p",
        { class: "reason" },
        about.folder
          ? `Games are saved in ${about.folder}.`
          : "Nothing is saved here: `ggp web --games FOLDER` names a folder. A text can be downloaded.",
      ),
    );
  }

  close() {}
}
