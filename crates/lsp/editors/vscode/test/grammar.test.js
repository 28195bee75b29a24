// The TextMate grammar: what each word is.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const FILE = path.join(__dirname, "../syntaxes/gdl.tmLanguage.json");

test("words have their scopes", async () => {
    const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
    await oniguruma.loadWASM(wasm);
    const registry = new Registry({
        onigLib: Promise.resolve({
            createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
            createOnigString: (text) => new oniguruma.OnigString(text),
        }),
        loadGrammar: async () => parseRawGrammar(fs.readFileSync(FILE, "utf8"), FILE),
    });
    const grammar = await registry.loadGrammar("source.gdl");
    const line = "(<= (LEGAL ?r (go 8_1 -3 b)) (not (open true)) terminal) ; (role";
    const words = {};
    for (const { startIndex, endIndex, scopes } of grammar.tokenizeLine(line, INITIAL).tokens) {
        words[line.slice(startIndex, endIndex).trim()] = scopes.at(-1);
    }
    assert.deepEqual(
        ["<=", "LEGAL", "?r", "go", "8_1", "-3", "b", "not", "open", "true", "terminal", "; (role"].map(
            (word) => words[word],
        ),
        [
            "keyword.operator.logical.gdl",
            "keyword.control.gdl",
            "variable.other.gdl",
            "entity.name.function.gdl",
            "constant.other.gdl",
            "constant.numeric.gdl",
            "constant.other.gdl",
            "keyword.operator.logical.gdl",
            "entity.name.function.gdl",
            "constant.other.gdl",
            "keyword.control.gdl",
            "comment.line.semicolon.gdl",
        ],
    );
});
