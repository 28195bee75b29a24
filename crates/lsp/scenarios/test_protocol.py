"""What a client does wrong, or in an unusual order: the bytes of the protocol, without a library."""

import json
import os
import subprocess
import threading

import pytest

SERVER = [os.environ.get("GGP", "ggp"), "lsp"]
URI = "file:///games/raw.kif"


class Raw:
    def __init__(self):
        self.process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        # A server that does not answer fails its test and does not hold up the others.
        self.limit = threading.Timer(90, self.process.kill)
        self.limit.daemon = True
        self.limit.start()

    def send_bytes(self, text: bytes):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = None
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length)) if length is not None else None

    def answer(self, id_):
        while (message := self.receive()) is not None:
            if message.get("id") == id_ and "method" not in message:
                return message
        raise AssertionError("the server went away")

    def ask(self, method, params=None):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        return self.answer(self.last)

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    def open(self, text, version=1, uri=URI):
        document = {"uri": uri, "languageId": "gdl", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def hover(self, line, character):
        place = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}
        return self.ask("textDocument/hover", place)

    def findings(self, wanted=lambda params: True):
        while (message := self.receive()) is not None:
            if message.get("method") == "textDocument/publishDiagnostics" and wanted(message["params"]):
                return message["params"]
        raise AssertionError("the server went away")


@pytest.fixture
def fresh():
    raw = Raw()
    yield raw
    raw.limit.cancel()
    raw.process.kill()
    raw.process.wait()


@pytest.fixture
def raw(fresh):
    assert "result" in fresh.ask("initialize", {"capabilities": {}})
    fresh.notify("initialized", {})
    return fresh


def test_the_order_of_a_session(fresh):
    assert fresh.ask("textDocument/hover", {})["error"]["code"] == -32002
    assert fresh.ask("initialize", None)["result"]["capabilities"]["positionEncoding"] == "utf-16"
    assert fresh.ask("initialize", {})["error"]["code"] == -32600
    assert fresh.ask("no/such/method")["error"]["code"] == -32601
    assert fresh.ask("shutdown")["result"] is None
    assert fresh.ask("textDocument/hover", {})["error"]["code"] == -32600
    fresh.notify("exit")
    assert fresh.process.wait(20) == 0


def test_a_client_that_goes_away(fresh):
    fresh.process.stdin.close()
    assert fresh.process.wait(20) == 1


def test_messages_that_are_wrong(raw):
    raw.send_bytes(b"Content-Length: 7\r\n\r\n{wrong}")
    assert raw.receive()["error"]["code"] == -32700
    raw.send_bytes(b"Content-Type: x\r\n\r\n")
    assert raw.receive()["error"]["code"] == -32700
    raw.send({"id": 1e30, "method": "shutdown"})
    assert raw.receive()["error"]["code"] == -32600
    raw.send_bytes(b"Content-Length: 100000000\r\n\r\n" + b" " * 100_000_000)
    assert raw.receive()["error"]["code"] == -32700
    for params in [None, 7, [], {}, {"textDocument": 1}, {"textDocument": {"uri": URI}, "position": {"line": -1}}]:
        for method in ["textDocument/hover", "textDocument/rename", "textDocument/codeAction", "workspace/executeCommand"]:
            assert "error" in raw.ask(method, params)
        for method in ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/cancelRequest"]:
            raw.notify(method, params)
    raw.open("(role a)")
    assert "role `a`" in raw.hover(0, 6)["result"]["contents"]["value"]


def test_cancellation(raw):
    # Each of many requests is answered once: cancelled, or with a result.
    raw.open("(role a) " * 20_000)
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 6}, "context": {"includeDeclaration": True}}
    for id_ in range(100, 200):
        raw.send({"id": id_, "method": "textDocument/references", "params": place})
        raw.notify("$/cancelRequest", {"id": id_})
    answers = {}
    while len(answers) < 100:
        message = raw.receive()
        if "id" in message and "method" not in message:
            assert message["id"] not in answers
            answers[message["id"]] = message
    codes = [message["error"]["code"] for message in answers.values() if "error" in message]
    assert codes and set(codes) == {-32800}


def test_stale_findings_are_dropped(raw):
    raw.open("(role a")
    for version in range(2, 60):
        change = {"text": "(role a" if version % 2 else "(role b"}
        document = {"uri": URI, "version": version}
        raw.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    last = 0
    while last < 59:
        found = raw.findings()
        assert found["version"] >= last
        last = found["version"]


def test_hostile_texts(raw):
    texts = ["(" * 1_000_000, ")" * 1_000_000, "(f " * 300_000, "?x " * 300_000, "é𝄞 " * 100_000, "(<= " * 200_000]
    for version, text in enumerate(texts, 1):
        raw.open(text, version)
        assert raw.findings(lambda found: found["version"] == version)["diagnostics"]
        assert "result" in raw.hover(0, 500_000)
    raw.open("x" * 9_000_000, 100)
    assert raw.findings(lambda found: found["version"] == 100)["diagnostics"][0]["code"] == "too-large"


def test_growth_without_bound(raw):
    rules = """(role a) (init (n z)) (<= (legal a go) (true (n ?x))) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (p z)) (p a) (goal a 0) (<= (q ?x) (true (n ?x))) (<= (q (s ?x)) (q ?x)) (<= (goal a 100) (q z))"""
    raw.open(rules)
    assert raw.findings(lambda found: found["diagnostics"])
    assert "error" not in raw.hover(0, 2)


def test_documents_are_apart(raw):
    raw.open("(role a)")
    raw.open("(role b", uri="file:///other.kif")
    assert raw.findings(lambda found: found["uri"] == "file:///other.kif")["diagnostics"]
    assert "role `a`" in raw.hover(0, 6)["result"]["contents"]["value"]
