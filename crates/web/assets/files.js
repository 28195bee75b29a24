// The texts with which an author begins, and those that are not saved.

import * as api from "./api.js";

/** Texts that are not saved, by the address of their page, as long as the page is not loaded anew. */
export const kept = new Map();

/** A text that is saved nowhere. */
const unsaved = (name, text, saved) => ({
  name,
  text,
  version: null,
  saved,
  savedAs: null,
  view: { text: "", version: null, saved: "" },
});

/** Keeps a text for the page `#new=pasted`. */
export function paste(name, text) {
  kept.set("new=pasted", unsaved(name, text, ""));
}

/** Where an author begins at `key`, the address of the page. */
export async function beginning(key, wanted) {
  if (kept.has(key)) return kept.get(key);
  if (wanted.edit) {
    const { text, version, view, viewVersion } = await api.source(wanted.edit);
    return {
      name: wanted.edit,
      text,
      version,
      saved: text,
      savedAs: wanted.edit,
      view: { text: view, version: viewVersion, saved: view },
    };
  }
  if (wanted.new === "empty" || wanted.new === "pasted") return unsaved("my_game", "", "");
  const { text } = await api.template(wanted.new);
  return unsaved("my_game", text, text);
}
