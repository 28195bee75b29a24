// The extension for VS Code: starts `ggp lsp` and shows what it says.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** The commands of the server that answer with a text. */
const TEXTS = ["ggp.moves", "ggp.explain", "ggp.simulate"];

/** The commands of the server that may take seconds: what the author sees meanwhile. */
const LONG = { "ggp.simulate": "Playing random matches" };

let client;

/** The folder of the extension. */
let folder;

/** The options of the server, from the settings. */
function options(settings) {
    const pages = settings.get("pages");
    const own = { pages: vscode.Uri.joinPath(folder, "pages").toString(), pagesExtension: "md" };
    return {
        strictness: settings.get("strictness"),
        playouts: settings.get("playouts"),
        domains: settings.get("domains"),
        // The extension shows the answers itself.
        messages: false,
        ...(pages ? { pages } : own),
    };
}

/** Runs a command of the server that the author can cancel. */
function wait(command, args) {
    const how = { location: vscode.ProgressLocation.Notification, title: LONG[command], cancellable: true };
    return vscode.window.withProgress(how, async (_, token) => {
        try {
            const params = { command, arguments: args };
            return await client.sendRequest("workspace/executeCommand", params, token);
        } catch (error) {
            if (!token.isCancellationRequested) {
                throw error;
            }
        }
    });
}

/** Runs a command of the server and shows its answer. */
async function execute(command, args, next) {
    const answer = await (command in LONG ? wait(command, args) : next(command, args));
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
    folder = context.extensionUri;
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
