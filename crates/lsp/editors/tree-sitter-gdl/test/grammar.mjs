// Compares `src/grammar.json`, from which the parser is made, with `grammar.js`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// What tree-sitter gives to a grammar: functions that make the nodes of `grammar.json`.
const node = (part) => {
  if (part instanceof RegExp) return { type: "PATTERN", value: part.source };
  return typeof part === "string" ? { type: "STRING", value: part } : part;
};
const symbols = new Proxy({}, { get: (_, name) => ({ type: "SYMBOL", name }) });
const dsl = {
  choice: (...members) => ({ type: "CHOICE", members: members.map(node) }),
  field: (name, content) => ({ type: "FIELD", name, content: node(content) }),
  optional: (content) => ({ type: "CHOICE", members: [node(content), { type: "BLANK" }] }),
  repeat: (content) => ({ type: "REPEAT", content: node(content) }),
  seq: (...members) => ({ type: "SEQ", members: members.map(node) }),
  token: (content) => ({ type: "TOKEN", content: node(content) }),
  grammar: ({ name, extras, word, rules }) => ({
    name,
    word: word(symbols).name,
    rules: Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, node(rule(symbols))])),
    extras: extras(symbols).map(node),
  }),
};
Object.assign(globalThis, dsl);

const grammar = createRequire(import.meta.url)("../grammar.js");
const generated = JSON.parse(readFileSync(new URL("../src/grammar.json", import.meta.url), "utf8"));
for (const [part, content] of Object.entries(grammar)) assert.deepEqual(generated[part], content, part);
// The parser has the names of the grammar.
const parser = readFileSync(new URL("../src/parser.c", import.meta.url), "utf8");
for (const name of Object.keys(grammar.rules).filter((name) => !name.startsWith("_"))) {
  assert.ok(parser.includes(`[sym_${name}] = "${name}"`), name);
}
console.log(`grammar.json has the ${Object.keys(grammar.rules).length} rules of grammar.js`);
