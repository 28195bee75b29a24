// Runs the bundled extension under Node, with a stub of the module `vscode`: it starts `ggp lsp`, shows a finding and a
// hover, and offers a quick fix. `GGP` names the program.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { test } = require("node:test");
const { vscode, events, providers, published, commands, progress, settings } = require("./vscode.js");

const load = Module._load;
Module._load = function (name, ...rest) {
    return name === "vscode" ? vscode : load.call(this, name, ...rest);
};

const TEXT = "(role white)\n(<= terminal (true (at 2))\n(<= (goal white 100) (true (at 2)))\n";

const document = {
    uri: vscode.Uri.file("/games/stub.kif"),
    languageId: "gdl",
    version: 1,
    isClosed: false,
    getText: () => TEXT,
};

/** The first value that is not undefined. */
async function until(what) {
    for (let tries = 0; tries < 600; tries++) {
        const found = await what();
        if (found !== undefined) {
            return found;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("waited for too long");
}

test("the bundled client starts the server", { timeout: 60_000 }, async (t) => {
    settings["ggp.path"] = process.env.GGP ?? "ggp";
    const extension = require("../dist/extension.js");
    const extensionUri = vscode.Uri.file(path.join(__dirname, ".."));
    const context = { subscriptions: [], extensionUri };
    await extension.activate(context);
    t.after(() => extension.deactivate());
    vscode.workspace.textDocuments.push(document);
    await events["workspace.onDidOpenTextDocument"].fire(document);
    const token = new vscode.CancellationTokenSource().token;

    const found = await until(() => published.get(document.uri.toString()));
    assert.equal(found.length, 1);
    assert.match(found[0].message, /never closed/);
    assert.equal(found[0].severity, vscode.DiagnosticSeverity.Error);
    assert.equal(found[0].range.start.line, 1);
    const page = found[0].code.target;
    assert.match(page.text, /\/pages\/unclosed-parenthesis\.md$/);
    assert.ok(fs.existsSync(page.fsPath), "the extension has the page");

    const hover = await providers.registerHoverProvider.provideHover(
        document,
        new vscode.Position(0, 7),
        token,
    );
    assert.match(JSON.stringify(hover.contents), /role `white`/);

    const range = found[0].range;
    const actions = await providers.registerCodeActionsProvider.provideCodeActions(
        document,
        range,
        { diagnostics: found, only: undefined, triggerKind: 1 },
        token,
    );
    assert.equal(actions.length, 1);
    assert.match(actions[0].title, /add a `\)`/);
    const [edit] = actions[0].edit.edits;
    assert.equal(edit.uri.toString(), document.uri.toString());
    assert.equal(edit.edits[0].newText, ")");

    assert.ok(
        ["ggp.explain", "ggp.play", "ggp.simulate"].every((command) => commands.has(command)),
        "the commands of the server are registered",
    );
    // It shows that it runs, and the rules with an error are no game.
    await assert.rejects(commands.get("ggp.simulate")(document.uri.toString()), /never closed/);
    assert.deepEqual(progress, ["Playing random matches"]);
});
