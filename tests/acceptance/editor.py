#!/usr/bin/env python3
"""The language server as an editor meets it: random edits, and how long an answer takes.

    cargo build --release -p ggp-cli
    tests/acceptance/editor.py [NAME ...]      (without a name: all, some 10 minutes on two cores)

Each check prints its figures and whether they are as they should be; the exit code is 1 when one
is not. Needs python3 and cargo. GGP names another binary, GGP_CORPUS another folder of published rulesheets.
"""

import json
import os
import random
import subprocess
import time

from common import CORPUS, GGP, ROOT, check, run

LIMIT = 0.050
METHODS = ["hover", "completion", "definition", "references", "prepareRename", "documentSymbol", "foldingRange",
           "codeLens", "codeAction", "semanticTokens/full"]


class Server:
    def __init__(self):
        self.child = subprocess.Popen([GGP, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.ask("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8"]}}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.child.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.child.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.child.stdout.read(length))

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last or "method" in message:
            pass
        return message

    def findings(self, version):
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics" \
                or message["params"].get("version") != version:
            pass


def edits():
    """A million random edits over all sizes, and 10,000 of the largest rulesheet: spliced equals full text, no panic."""
    environment = {**os.environ, "GGP_EDITS": "1000000", "GGP_NO_SKIP": "1"}
    done = subprocess.run(["cargo", "test", "--release", "-p", "ggp-lsp", "--lib", "documents::tests::edits", "--",
                           "--nocapture"], cwd=ROOT, env=environment, capture_output=True, text=True)
    print("\n".join("  " + line for line in done.stdout.splitlines() if "edits" in line))
    check("every edit gives the text of a plain replacement", done.returncode == 0 and "1 passed" in done.stdout)


def latency():
    """Answers after a keystroke: 95 of 100 within 50 ms, on rulesheets of all sizes and on the largest."""
    folder = os.path.join(CORPUS, "rules")
    sheets = sorted((os.path.getsize(os.path.join(folder, name)), name) for name in os.listdir(folder))
    chosen = [sheets[i * (len(sheets) - 1) // 9] for i in range(10)] + [sheets[-1]] * 3
    source = random.Random(1)
    all_times, largest, published = [], [], []
    for size, name in chosen:
        with open(os.path.join(folder, name), "rb") as file:
            text = file.read().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        server = Server()
        uri = f"file:///{name}"
        document = {"uri": uri, "languageId": "gdl", "version": 0, "text": text}
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        lines = text.split("\n")
        times = []
        for version in range(1, 61):
            line = source.randrange(len(lines))
            column = source.randrange(len(lines[line].encode()) + 1)
            place = {"line": line, "character": column}
            # A keystroke and, two keystrokes later, its deletion: the text is torn half of the time.
            inserted = version % 2 == 1
            change = {"range": {"start": place, "end": place}, "text": "("} if inserted else \
                {"range": {"start": last, "end": {"line": last["line"], "character": last["character"] + 1}}, "text": ""}
            last = place if inserted else None
            began = time.perf_counter()
            server.send({"method": "textDocument/didChange",
                         "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}})
            params = {"textDocument": {"uri": uri}, "position": place, "range": {"start": place, "end": place},
                      "context": {"includeDeclaration": True, "diagnostics": []}}
            answer = server.ask("textDocument/" + METHODS[version // 2 % len(METHODS)], params)
            times.append(time.perf_counter() - began)
            # A keyword cannot be renamed: a refusal is an answer too.
            assert "result" in answer or answer["error"]["code"] == -32803, answer
        for version in range(61, 71):
            began = time.perf_counter()
            server.send({"method": "textDocument/didChange",
                         "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}})
            server.findings(version)
            published.append(time.perf_counter() - began)
        server.child.kill()
        server.child.wait()
        all_times += times
        if name == sheets[-1][1]:
            largest += times
    for what, times in [("all", all_times), ("the largest", largest), ("findings", published)]:
        times.sort()
        at = lambda share: 1000 * times[min(len(times) - 1, int(share * len(times)))]
        print(f"  {what}: {len(times)} answers, half {at(0.5):.1f} ms, 95 % {at(0.95):.1f} ms, most {at(1):.1f} ms")
        check(f"95 of 100 within {1000 * LIMIT:.0f} ms", at(0.95) <= 1000 * LIMIT)


run([edits, latency])
