// The extension for VS Code: starts `ggp lsp` and shows what it says.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** The commands of the server that answer with a text. */
const TEXTS = ["ggp.moves", "ggp.explain"];

let client;

/** The options of the server, from the settings. */
function options(settings) {
    const pages = settings.get("pages");
    return {
        strictness: settings.get("strictness"),
        playouts: settings.get("playouts"),
        domains: settings.get("domains"),
        // The extension shows the answers itself.
        messages: false,
        ...(pages ? { pages } : {}),
    };
}

/** Runs a command of the server and shows its answer. */
async function execute(command, args, next) {
    const answer = await next(command, args);
    if (command === "ggp.play" && answer?.line) {
        const [, ...words] = answer.line;
        const path = vscode.workspace.getConfiguration("ggp").get("path");
        // The program is the terminal's own process, so no shell reads the words.
        vscode.window.createTerminal({ name: "ggp", shellPath: path, shellArgs: words }).show();
    } else if (TEXTS.includes(command) && typeof answer === "string") {
        const document = await vscode.workspace.openTextDocument({ content: answer });
        await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
    }
    return answer;
}

async function start() {
    const settings = vscode.workspace.getConfiguration("ggp");
    const server = { command: settings.get("path"), args: ["lsp"], transport: TransportKind.stdio };
    client = new LanguageClient("ggp", "GDL", server, {
        documentSelector: [{ language: "gdl" }],
        initializationOptions: options(settings),
        middleware: { executeCommand: execute },
    });
    await client.start();
    return client;
}

async function restart() {
    await client?.stop();
    await start();
}

async function activate(context) {
    context.subscriptions.push(
        vscode.commands.registerCommand("ggp.restart", restart),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration("ggp")) {
                restart();
            }
        }),
    );
    await start();
}

async function deactivate() {
    await client?.stop();
}

module.exports = { activate, deactivate };
