// Bundles entry.js, and writes versions, hash and licences of what went into the bundle.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { metafile, outputFiles } = await build({
  entryPoints: ["entry.js"],
  bundle: true,
  format: "esm",
  minify: true,
  legalComments: "none",
  charset: "ascii",
  target: "es2022",
  metafile: true,
  write: false,
});
const inputs = Object.keys(metafile.inputs).map(
  (path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1],
);
const names = [...new Set(inputs.filter(Boolean))].sort();
const read = (name, file) => readFileSync(`node_modules/${name}/${file}`, "utf8");
const versions = names.map((name) => `${name} ${JSON.parse(read(name, "package.json")).version}`);
// Packages of one author share the text of the licence.
const licences = new Map();
for (const name of names) {
  const { license } = JSON.parse(read(name, "package.json"));
  if (license !== "MIT") throw new Error(`${name} is under ${license}`);
  const text = read(name, "LICENSE").trim();
  licences.set(text, [...(licences.get(text) ?? []), name]);
}
const notices = [...licences].map(([text, names]) => `${names.join(", ")}:\n\n${text}\n`);
const code = `/* CodeMirror 6, bundled; versions and licences: codemirror.txt */\n${outputFiles[0].text}`;
const hash = createHash("sha256").update(code).digest("hex");
const about = [
  "codemirror.js is made by crates/web/editor/build from these packages of the npm registry:",
  "",
  ...versions,
  "",
  `SHA-256 of codemirror.js: ${hash}`,
  "",
  ...notices,
].join("\n");
writeFileSync("../assets/codemirror.js", code);
writeFileSync("../assets/codemirror.txt", about);
