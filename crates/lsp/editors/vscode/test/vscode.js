// A stub of the module `vscode`, with as much of it as the language client needs to run without an editor.
// What is not written here is an empty class, which also serves as an enumeration without members.

class Disposable {
    constructor(dispose) {
        this.dispose = dispose ?? (() => {});
    }
    static from(...all) {
        return new Disposable(() => {
            for (const one of all) {
                one.dispose();
            }
        });
    }
}

class EventEmitter {
    constructor() {
        this.listeners = new Set();
        this.event = (listener, self) => {
            const bound = self ? listener.bind(self) : listener;
            this.listeners.add(bound);
            return new Disposable(() => this.listeners.delete(bound));
        };
    }
    fire(value) {
        return Promise.all([...this.listeners].map((listener) => listener(value)));
    }
    dispose() {
        this.listeners.clear();
    }
}

class CancellationTokenSource {
    constructor() {
        this.token = { isCancellationRequested: false, onCancellationRequested: new EventEmitter().event };
    }
    cancel() {
        this.token.isCancellationRequested = true;
    }
    dispose() {}
}

class Position {
    constructor(line, character) {
        Object.assign(this, { line, character });
    }
}

class Range {
    constructor(...args) {
        const [start, end] =
            args.length === 4 ? [new Position(args[0], args[1]), new Position(args[2], args[3])] : args;
        Object.assign(this, { start, end });
    }
}

class Uri {
    constructor(text) {
        this.text = text;
        this.scheme = text.slice(0, text.indexOf(":"));
        this.path = this.fsPath = new URL(text).pathname;
    }
    static parse(text) {
        return new Uri(text);
    }
    static file(path) {
        return new Uri(`file://${path}`);
    }
    static joinPath(uri, ...parts) {
        return new Uri([uri.text, ...parts].join("/"));
    }
    toString() {
        return this.text;
    }
    with() {
        return this;
    }
}

/** A class that keeps its arguments as `args`, and under the names of `members`. */
function recording(...members) {
    return class {
        constructor(...args) {
            this.args = args;
            members.forEach((name, index) => {
                this[name] = args[index];
            });
        }
    };
}

class WorkspaceEdit {
    constructor() {
        this.edits = [];
    }
    set(uri, edits) {
        this.edits.push({ uri, edits });
    }
    replace(uri, range, newText) {
        this.edits.push({ uri, edits: [{ range, newText }] });
    }
}

const events = new Proxy({}, { get: (all, name) => (all[name] ??= new EventEmitter()) });
const providers = {};
const published = new Map();
const commands = new Map();
/** The titles of what the author sees running. */
const progress = [];
const settings = {};

/** An object whose `on…` members are events, whose other members are functions that give a disposable. */
function part(name, known) {
    return new Proxy(known, {
        get(target, key) {
            if (key in target || typeof key === "symbol") {
                return target[key];
            }
            if (/^on(Did|Will)/.test(key)) {
                return events[`${name}.${key}`].event;
            }
            return (...args) => {
                if (/^register.*Provider$/.test(key)) {
                    providers[key] = args[1];
                }
                return new Disposable();
            };
        },
    });
}

const channel = () =>
    new Proxy(
        { name: "output" },
        { get: (target, key) => target[key] ?? (/^onDid/.test(key) ? new EventEmitter().event : () => {}) },
    );

const vscode = {
    version: "1.91.0",
    Disposable,
    EventEmitter,
    CancellationTokenSource,
    Position,
    Range,
    Uri,
    WorkspaceEdit,
    Hover: recording("contents", "range"),
    MarkdownString: recording("value"),
    Diagnostic: recording("range", "message", "severity"),
    CodeAction: recording("title", "kind"),
    CodeLens: recording("range", "command"),
    TextEdit: recording("range", "newText"),
    Location: recording("uri", "range"),
    RelativePattern: recording("baseUri", "pattern"),
    CancellationError: class extends Error {},
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    CodeActionKind: new Proxy({}, { get: (_, key) => ({ value: key, append: (more) => ({ value: more }) }) }),
    env: {
        language: "en",
        appName: "stub",
        appHost: "desktop",
        machineId: "stub",
        onDidChangeLogLevel: new EventEmitter().event,
    },
    extensions: part("extensions", { all: [] }),
    l10n: { t: (text) => text },
    workspace: part("workspace", {
        textDocuments: [],
        notebookDocuments: [],
        workspaceFolders: undefined,
        isTrusted: true,
        fs: {},
        getConfiguration: (section) => ({
            get: (key, fallback) => settings[`${section}.${key}`] ?? fallback,
            has: () => false,
            inspect: () => undefined,
        }),
    }),
    window: part("window", {
        visibleTextEditors: [],
        activeTextEditor: undefined,
        tabGroups: part("tabGroups", { all: [] }),
        createOutputChannel: channel,
        showErrorMessage: async (text) => console.error(text),
        showInformationMessage: async () => undefined,
        withProgress: (how, task) => {
            progress.push(how.title);
            return task({ report: () => {} }, new CancellationTokenSource().token);
        },
    }),
    commands: {
        registerCommand: (name, run) => {
            commands.set(name, run);
            return new Disposable(() => commands.delete(name));
        },
        executeCommand: async (name, ...args) => commands.get(name)?.(...args),
    },
    languages: part("languages", {
        match: (selector, document) =>
            selector.some?.((one) => one.language === document.languageId) ? 10 : 0,
        createDiagnosticCollection: () => ({
            set: (uri, found) => published.set(uri.toString(), found),
            delete: (uri) => published.delete(uri.toString()),
            clear: () => published.clear(),
            dispose: () => {},
        }),
    }),
};

module.exports = {
    vscode: new Proxy(vscode, { get: (all, key) => (all[key] ??= recording()) }),
    events,
    providers,
    published,
    commands,
    progress,
    settings,
};
