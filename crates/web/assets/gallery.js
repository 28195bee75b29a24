// The gallery: all games with pictures, a search, filters, and those that were played last.

import * as api from "./api.js";
import { el, say, words } from "./dom.js";
import { thumbnail } from "./thumbnail.js";

/** So many games that were played last are kept. */
const RECENT = 6;
/** So many cards are in the first frame, some more than the largest window shows; the others follow it. */
const FIRST = 40;
const STORE = "ggp-recent";

/** The pictures that the server has sent, by the names of their games. */
const pictures = new Map();

/** The filters: a name, and what a game must have. Those of `picture` are known when the picture is there. */
const FILTERS = [
  ["board", "Board", (_, picture) => picture?.board && picture.board.kind !== "table"],
  ["puzzle", "Puzzle", ({ players }) => players === 1],
  ["two", "Two players", ({ players }) => players === 2],
  ["more", "Three or more", ({ players }) => players > 2],
  ["simultaneous", "Simultaneous", (_, picture) => picture?.simultaneous],
  ["hidden", "Hidden information", ({ hidden }) => hidden],
];
const BY_PICTURE = ["board", "simultaneous"];

function recent() {
  try {
    const names = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** Keeps that a game was played. */
export function played(name) {
  try {
    const names = [name, ...recent().filter((other) => other !== name)].slice(0, RECENT);
    localStorage.setItem(STORE, JSON.stringify(names));
  } catch {
    // A browser that stores nothing shows no such list.
  }
}

/** The picture of a game; each is asked for once. */
function pictureOf(name) {
  if (!pictures.has(name)) {
    const asked = api.picture(name).catch((error) => ({ error: error.message }));
    pictures.set(name, asked);
    // A game that could not be asked for is asked for again by the next page.
    asked.then((picture) => (picture.error ? pictures.delete(name) : pictures.set(name, picture)));
  }
  return pictures.get(name);
}

/** Forgets the picture of a game whose rules have changed. */
export function redraw(name) {
  pictures.delete(name);
}

/** The drawing of a picture. */
export function drawing(picture) {
  if (picture.error) return [el("span", { class: "caption" }, "no picture")];
  return thumbnail(picture, picture.board);
}

/** What sort of game it is, in words. */
function sort({ players, hidden, chance }, picture) {
  const isPuzzle = players === 1 && !chance;
  const parts = [players === 1 ? "1 player" : `${players || "?"} players`];
  if (isPuzzle) parts.push("puzzle");
  if (picture?.board && picture.board.kind !== "table") parts.push("board");
  if (picture?.simultaneous) parts.push("simultaneous");
  if (hidden) parts.push("hidden information");
  else if (chance) parts.push("chance");
  return parts.join(" · ");
}

class Card {
  constructor(summary, choose) {
    this.summary = summary;
    this.picture = null;
    this.thumb = el("span", { class: "thumb", "aria-hidden": "true" });
    this.sort = el("small", { class: "sort" }, sort(summary));
    this.about = summary.about ? el("small", { class: "blurb" }, summary.about) : null;
    this.button = el(
      "button",
      {
        type: "button",
        class: "card",
        "data-game": summary.name,
        onclick: () => choose(summary, this.picture),
      },
      this.thumb,
      el("span", { class: "name" }, words(summary.name)),
      this.sort,
      this.about,
    );
    this.element = el("li", {}, this.button);
    this.text = `${words(summary.name)} ${summary.name} ${summary.about}`.toLowerCase();
  }

  async draw() {
    this.asked ??= pictureOf(this.summary.name);
    const picture = await this.asked;
    if (this.picture) return;
    this.picture = picture;
    this.thumb.classList.toggle("wide", (picture.board?.boards.length ?? 1) > 1);
    this.thumb.replaceChildren(...drawing(picture));
    say(this.sort, sort(this.summary, picture));
  }
}

export class Gallery {
  /** Draws in `page`; `choose` gets the summary and the picture of the game that is chosen. */
  constructor(page, summaries, choose) {
    this.cards = summaries.map((summary) => new Card(summary, choose));
    this.wanted = null;
    this.search = el("input", {
      type: "search",
      id: "search",
      placeholder: "Search",
      "aria-label": "search the games",
      oninput: () => this.filter(),
    });
    const chip = ([name, text]) =>
      el(
        "button",
        {
          type: "button",
          class: "chip",
          "data-filter": name,
          "aria-pressed": "false",
          onclick: () => this.only(name),
        },
        text,
      );
    this.chips = FILTERS.map(chip);
    this.count = el("p", { class: "reason", role: "status" });
    this.list = el(
      "ul",
      { class: "games", "aria-label": "games" },
      this.cards.slice(0, FIRST).map(({ element }) => element),
    );
    page.append(
      el(
        "div",
        { class: "finder" },
        this.search,
        el("div", { class: "group start" }, this.chips),
        this.count,
      ),
      ...this.again(choose),
      this.list,
    );
    // Pictures are asked for when they come near the window.
    const near = (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.cards.find(({ element }) => element === target)?.draw();
      }
    };
    this.watcher = new IntersectionObserver(near, { rootMargin: "200px" });
    // A frame is painted after its callbacks, so a task that one of them starts comes after the paint.
    requestAnimationFrame(() => setTimeout(() => this.complete()));
    this.filter();
  }

  /** Adds the cards that were not in the first frame, and asks for pictures from now on. */
  complete() {
    if (this.closed) return;
    this.list.append(...this.cards.slice(FIRST).map(({ element }) => element));
    for (const { element } of this.cards) this.watcher.observe(element);
  }

  close() {
    this.watcher.disconnect();
    this.closed = true;
  }

  /** The games that were played last. */
  again(choose) {
    const found = recent().flatMap((name) => this.cards.find(({ summary }) => summary.name === name) ?? []);
    if (!found.length) return [];
    const button = (card) =>
      el(
        "button",
        { type: "button", class: "chip recent", onclick: () => choose(card.summary, card.picture) },
        words(card.summary.name),
      );
    return [el("div", { class: "group start" }, el("h2", {}, "Played last"), found.map(button))];
  }

  /** Shows only the games that the filter `name` takes, or all again. */
  async only(name) {
    this.wanted = this.wanted === name ? null : name;
    for (const chip of this.chips)
      chip.setAttribute("aria-pressed", String(chip.dataset.filter === this.wanted));
    this.filter();
    // What only pictures tell needs all of them.
    if (!BY_PICTURE.includes(this.wanted)) return;
    for (const card of this.cards) {
      if (this.closed || this.wanted !== name) return;
      if (card.picture) continue;
      await card.draw();
      this.filter();
    }
  }

  filter() {
    const text = this.search.value.trim().toLowerCase();
    const takes = FILTERS.find(([name]) => name === this.wanted)?.[2] ?? (() => true);
    let shown = 0;
    for (const card of this.cards) {
      const on = card.text.includes(text) && Boolean(takes(card.summary, card.picture));
      card.element.hidden = !on;
      shown += on ? 1 : 0;
    }
    const unknown = BY_PICTURE.includes(this.wanted)
      ? this.cards.filter(({ picture }) => !picture).length
      : 0;
    const looking = unknown ? `; ${unknown} are still looked at …` : "";
    say(this.count, `${shown} of ${this.cards.length} games${looking}`);
  }
}
