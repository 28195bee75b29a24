// Bundles the extension with the language client into one file, and collects the licences of what is in it.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const result = await build({
    entryPoints: ["src/extension.js"],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    minify: true,
    metafile: true,
    outfile: "dist/extension.js",
});

/** The folder of the package that a file belongs to. */
function packageOf(file) {
    let folder = dirname(file);
    while (!existsSync(join(folder, "package.json")) || !readPackage(folder).version) {
        folder = dirname(folder);
    }
    return folder;
}

function readPackage(folder) {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

const folders = new Set(
    Object.keys(result.metafile.inputs)
        .filter((file) => file.includes("node_modules"))
        .map(packageOf),
);
const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = readPackage(folder);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) {
        throw new Error(`${name} has no licence file`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});
writeFileSync(
    "dist/NOTICES.txt",
    `dist/extension.js contains these packages.\n\n${notices.join("\n---\n\n")}`,
);
