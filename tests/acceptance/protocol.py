#!/usr/bin/env python3
"""The figures of both ends of the GGP protocol, measured through the command line and at the socket.

    cargo build --release -p ggp-cli
    tests/acceptance/protocol.py [NAME ...]      (without a name: all, some 40 minutes on two cores)

Each check prints its figures and whether they are as they should be; the exit code is 1 when one
is not. Needs python3 and nothing else. GGP names another binary, GGP_SCRATCH a directory that is kept.
"""

import json
import os
import random
import re
import socket
import subprocess
import threading
import time

from common import FIVE, GGP, ROOT, SCRATCH, check, ggp, run

THREE = ["tic_tac_toe", "connect_four", "rock_paper_scissors"]


def spread(values, unit=""):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return ", ".join(f"{name} {at(share):.1f}{unit}" for name, share in
                     (("least", 0), ("1 %", 0.01), ("10 %", 0.1), ("half", 0.5), ("90 %", 0.9), ("99 %", 0.99),
                      ("most", 1)))


class Served:
    """`ggp serve`, until the end of a `with`."""

    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        log = open(os.path.join(SCRATCH, "serve.log"), "ab")
        self.child = subprocess.Popen([GGP, "serve", *map(str, self.words), "--port", "0"], cwd=ROOT,
                                      stdout=subprocess.PIPE, stderr=log, text=True)
        self.url = self.child.stdout.readline().split()[-1].rstrip("/")
        self.port = int(self.url.rsplit(":", 1)[1])
        return self

    def __exit__(self, *_):
        self.child.terminate()
        code = self.child.wait(10)
        if code != 0:
            check(f"ggp serve ended with {code} on SIGTERM", False)

    def resident(self, field="VmRSS"):
        """Its memory in MiB."""
        status = open(f"/proc/{self.child.pid}/status").read()
        return int(re.search(field + r":\s+(\d+)", status).group(1)) / 1024

    def say(self, text, timeout=30):
        return say(self.port, text, timeout)


def connect(port, timeout=30):
    return socket.create_connection(("127.0.0.1", port), timeout)


def post(text):
    body = text if isinstance(text, bytes) else text.encode()
    head = f"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def exchange(port, data, timeout=30):
    with connect(port, timeout) as stream:
        stream.sendall(data)
        return b"".join(iter(lambda: stream.recv(65536), b""))


def say(port, text, timeout=30):
    return exchange(port, post(text), timeout).split(b"\r\n\r\n", 1)[-1].decode()


def rules(name):
    """A rulesheet as START sends it."""
    text = open(os.path.join(ROOT, f"games/{name}.kif")).read()
    return "(" + re.sub(r";[^\n]*", "", text).replace("\n", " ") + ")"


def roles(name):
    return re.findall(r"\(role ([^\s?)]+)\)", rules(name))


def read_request(stream):
    data = b""
    while b"\r\n\r\n" not in data and b"\n\n" not in data:
        more = stream.recv(65536)
        if not more:
            return data
        data += more
    head, body = re.split(rb"\r?\n\r?\n", data, maxsplit=1)
    length = re.search(rb"content-length: *(\d+)", head, re.I)
    while length and len(body) < int(length.group(1)):
        more = stream.recv(65536)
        if not more:
            break
        body += more
        data += more
    return data


class Proxy:
    """Stands between a manager and a player: times every message at the socket, and spoils replies.

    `spoil(verb, reply, stream)` may write to the stream itself; what it returns is sent, and None
    closes the connection without a word."""

    def __init__(self, port, spoil=None, one_at_a_time=False):
        self.target, self.spoil, self.times = port, spoil, []
        self.lock = threading.Lock() if one_at_a_time else None
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream):
        began = time.monotonic()
        try:
            with stream:
                if self.lock:
                    with self.lock:
                        self.pass_on(stream, began)
                else:
                    self.pass_on(stream, began)
        except OSError:
            pass

    def pass_on(self, stream, began):
        request = read_request(stream)
        verb = re.search(rb"\( *([A-Za-z]+)", re.split(rb"\r?\n\r?\n", request, maxsplit=1)[-1])
        verb = verb.group(1).decode().upper() if verb else ""
        reply = exchange(self.target, request)
        took = time.monotonic() - began
        if self.spoil:
            reply = self.spoil(verb, reply, stream)
        if reply is not None:
            stream.sendall(reply)
        self.times.append((verb, took))


def violations(schema, value, path="$"):
    """What of the JSON schema `value` breaks; the keywords that the schema has."""
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
    kind = schema.get("type")
    if kind and (not isinstance(value, kinds[kind]) or isinstance(value, bool) != (kind == "boolean")):
        return [f"{path} is no {kind}"]
    found = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{path} lacks {key}" for key in schema.get("required", []) if key not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{path}.{key} is unknown" for key in value if key not in known]
        for key, inner in value.items():
            found += violations(known.get(key, {}), inner, f"{path}.{key}")
    if isinstance(value, list):
        for place, inner in enumerate(value):
            found += violations(schema.get("items", {}), inner, f"{path}[{place}]")
    size = len(value) if isinstance(value, (str, list)) else value
    for word in ("minLength", "minItems", "minimum"):
        if word in schema and size < schema[word]:
            found.append(f"{path} is below {word}")
    if "maximum" in schema and size > schema["maximum"]:
        found.append(f"{path} is above the maximum")
    return found


def hundred():
    """100 matches between our ends over HTTP, eight games, half of them scrambled."""
    schema = json.load(open(os.path.join(ROOT, "tests/protocol/record.schema.json")))
    played, steps, bad = {}, 0, []
    with Served("mcts:iterations=100") as one, Served("mcts:iterations=100") as two:
        for number in range(100):
            name = (FIVE + THREE)[number % 8]
            players = [f"--player={role}={(one, two)[place % 2].url}" for place, role in enumerate(roles(name))]
            record = os.path.join(SCRATCH, "record.json")
            scramble = ["--scramble"] if number // 8 % 2 else []
            run = ggp("host", f"games/{name}.kif", *players, "--startclock", 10, "--playclock", 2, "--save", record,
                      "--seed", number, *scramble)
            value = json.load(open(record))
            wrong = violations(schema, value)
            errors = [error for step in value["errors"] for error in step if error]
            steps += len(value["moves"])
            if run.returncode or wrong or errors or not value["isCompleted"] or value["scrambled"] != bool(scramble):
                bad.append((name, number, run.returncode, wrong, errors, run.stderr[-300:]))
            key = name + (" scrambled" if scramble else "")
            played[key] = played.get(key, 0) + 1
            if number % 10 == 9:
                print(f"  {number + 1} matches, {steps} steps, {len(bad)} bad", flush=True)
    print(f"  {played}")
    check(f"{sum(played.values())} matches, {steps} steps, faults or invalid records: {bad}", not bad)


def slack():
    """500 thought moves at a clock of 1 s through HTTP: how long before the clock they are there."""
    with Served("mcts") as served:
        proxy = Proxy(served.port)
        thoughts, match = [], 0
        while len(thoughts) < 500:
            name = ("breakthrough_holes", "skirmish", "connect_four", "english_draughts")[match % 4]
            role, *others = roles(name)
            run = ggp("host", f"games/{name}.kif", f"--player={role}={proxy.url}", "--startclock", 10, "--playclock", 1,
                      "--seed", match, *[f"--player={other}=random" for other in others])
            if run.returncode:
                return check(f"{name}: {run.stderr[-300:]}", False)
            match += 1
            # Where another role is on turn there is nothing to think about; those are not counted.
            thoughts = [took for verb, took in proxy.times if verb == "PLAY" and took > 0.1]
            print(f"  {name}: {len(thoughts)} so far", flush=True)
        late = sum(took >= 1 for took in thoughts)
        print(f"  slack of {len(thoughts)} moves in ms: {spread([1000 - took * 1000 for took in thoughts])}")
        check(f"{late} of {len(thoughts)} moves later than the clock", late == 0)


def thinking():
    """INFO, a stranger's PLAY, and ABORT while two searches take both cores."""
    with Served("mcts") as served:
        times = {}
        for number in range(10):
            for match in "ab":
                assert served.say(f"( START {match}{number} red {rules('connect_four')} 2 10)") == "ready"
            searches = [threading.Thread(target=served.say, args=(f"( PLAY {match}{number} NIL )",)) for match in "ab"]
            for search in searches:
                search.start()
            time.sleep(0.3)
            for text, answer in [("( INFO )", None)] * 20 + [("( PLAY other NIL )", "busy")] * 20 + [
                    (f"( ABORT a{number} )", "aborted"), (f"( ABORT b{number} )", "aborted")]:
                began = time.monotonic()
                said = served.say(text)
                times.setdefault(text.split()[1], []).append((time.monotonic() - began) * 1000)
                assert answer in (None, said), said
            for search in searches:
                search.join()
    for verb, took in times.items():
        check(f"{verb}: {len(took)} answers in ms: {spread(took)}", max(took) < 50)


def examine(url):
    run = ggp("comply", url, "--startclock", 2, "--playclock", 2, "--json")
    findings = json.loads(run.stdout)["findings"]
    return run.returncode, findings, [f["check"] for f in findings if f["verdict"] == "fails"]


def text_of(reply):
    return reply.split(b"\r\n\r\n", 1)[1]


def reply(text, length=None):
    length = len(text) if length is None else length
    return b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: %d\r\n\r\n" % length + text


def drip(stream, data):
    for byte in data:
        stream.sendall(bytes([byte]))
        time.sleep(1)


def flood(stream):
    stream.sendall(reply(b"", 64 << 20))
    for _ in range(64):
        stream.sendall(b"x" * (1 << 20))


def on_play(change):
    return lambda verb, good, stream: change(good, stream) if verb == "PLAY" else good


def late(seconds):
    return on_play(lambda good, _: (time.sleep(seconds), good)[1])


def comply():
    """A clean sheet for `ggp serve`, and what is wrong with broken players is named."""
    with Served("mcts") as served:
        code, findings, fails = examine(served.url)
        check(f"ggp serve mcts: {len(findings)} lines, fails: {fails}, exit code {code}", code == 0 and not fails)
        broken = {
            "late by a second": Proxy(served.port, late(3)),
            "capital letters": Proxy(served.port, on_play(lambda good, _: reply(text_of(good).upper()))),
            "no header": Proxy(served.port, lambda verb, good, _: text_of(good)),
            "a length too large": Proxy(served.port, lambda verb, good, _: reply(text_of(good), 99)),
            "always a move": Proxy(served.port, on_play(lambda *_: reply(b"( take 1 )"))),
            "one message at a time": Proxy(served.port, one_at_a_time=True),
            "silent to INFO": Proxy(served.port, lambda verb, good, _: None if verb == "INFO" else good),
        }
        named = 0
        for what, proxy in broken.items():
            code, findings, fails = examine(proxy.url)
            details = [f"{f['check']}: {f['got']}"[:110] for f in findings if f["verdict"] == "fails"]
            named += bool(fails)
            check(f"{what}: exit code {code}, {len(fails)} fail: {details[:3]}", bool(fails))


def players():
    """Hostile players, hosted beside a good one: faults counted, the match goes on."""
    kinds = {
        "late by 0.5 s": (late(0.7), set()),
        "late by 1.5 s": (late(2.5), {"timeout"}),
        "silent": (on_play(lambda good, stream: (time.sleep(4), None)[1]), {"timeout"}),
        "closing": (on_play(lambda *_: None), {"crash"}),
        "garbage": (on_play(lambda *_: reply(b"(((")), {"illegal"}),
        "huge": (on_play(lambda _, stream: flood(stream)), {"illegal"}),
        "one byte a second": (on_play(lambda good, stream: drip(stream, good)), {"timeout"}),
        "illegal": (on_play(lambda *_: reply(b"( mark 9 9 )")), {"illegal"}),
        "HTTP 500": (on_play(lambda good, _: good.replace(b"200 OK", b"500 Oops")), set()),
        "wrong length": (on_play(lambda good, _: reply(text_of(good), 999)), set()),
    }
    with Served("random") as served:
        for what, (spoil, expected) in kinds.items():
            proxy = Proxy(served.port, spoil)
            out = os.path.join(SCRATCH, "players.jsonl")
            if os.path.exists(out):
                os.remove(out)
            began = time.time()
            child = subprocess.Popen([GGP, "match", "games/rock_paper_scissors.kif", f"--player=bad={proxy.url}",
                                      "--player=good=random", "--games", "2", "--startclock", "5", "--playclock", "1",
                                      "--out", out], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            found = [json.loads(line) for line in open(out)]
            faults = [(fault["kind"], result["players"][fault["role"]]) for result in found
                      for fault in result.get("faults", [])]
            good = {kind for kind, _ in faults} == expected and all(who == "bad" for _, who in faults)
            ended = [result["ending"] for result in found] == ["terminal"] * 2
            check(f"{what}: {time.time() - began:.1f} s, {len(faults)} faults {sorted({k for k, _ in faults})}, "
                  f"manager's peak {usage.ru_maxrss / 1024:.0f} MiB", good and ended and child.returncode == 0)


GOOD_MESSAGES = ["( INFO )", "( PLAY good (( take 1 9 ) wait ) )", "( PLAY none NIL )", "( STOP none (a b) )",
                 "( START bad left (( role left ) ( <= ( legal left a ) ( p ?x ) ) ) 1 1)", "( PREVIEW ((role l)) 1 )"]
PIECES = [b"(", b")", b"((", b"NIL", b"?x", b"; ", b"\0", b"\xc3\xa9", b"-1", b"9" * 30]
DIGITS = " ".join(f"( d {n} )" for n in range(10))
GROWING = {
    "terms without end": "(( role left ) ( p 0 ) ( <= ( p ( s ?x ) ) ( p ?x ) ) ( <= ( legal left ?x ) ( p ?x ) ) )",
    "states that double": "(( role left ) ( init ( n 0 ) ) ( <= ( next ( n ( s ?x ?x ) ) ) ( true ( n ?x ) ) ) "
                          "( <= ( legal left ?x ) ( true ( n ?x ) ) ) )",
    "a hundred million moves": f"(( role left ) {DIGITS} ( <= ( legal left ( f ?a ?b ?c ?d ?e ?f ?g ?h ) ) ( d ?a ) "
                               "( d ?b ) ( d ?c ) ( d ?d ) ( d ?e ) ( d ?f ) ( d ?g ) ( d ?h ) ) )",
    "a million fluents": f"(( role left ) {DIGITS} ( init ( c 0 0 0 0 0 0 ) ) ( legal left go ) "
                         "( <= ( next ( c ?a ?b ?c ?d ?e ?f ) ) ( d ?a ) ( d ?b ) ( d ?c ) ( d ?d ) ( d ?e ) ( d ?f ) "
                         "( true ( c ?f ?a ?b ?c ?d ?e ) ) ) )",
    "joins of everything": f"(( role left ) {DIGITS} ( <= ( e ?a ?b ?c ) ( d ?a ) ( d ?b ) ( d ?c ) ) ( init x ) "
                           "( <= ( next ( y ?a ) ) ( e ?a ?b ?c ) ( e ?d ?e ?f ) ( e ?c ?g ?f ) ( not ( true ( y ?d ) ) ) "
                           "( does left go ) ) ( legal left go ) )",
}


def malformed(port):
    draw = random.Random(3)

    def part(seed):
        local = random.Random(seed)
        for _ in range(1250):
            text = bytearray(local.choice(GOOD_MESSAGES).encode())
            for _ in range(local.randint(1, 5)):
                at = local.randrange(len(text) + 1)
                text[at:at + local.randrange(6)] = local.choice(PIECES) if local.random() < 0.6 else os.urandom(3)
            data = post(bytes(text))
            if local.random() < 0.1:
                data = data[:local.randrange(len(data))]
            try:
                with connect(port) as stream:
                    stream.sendall(data)
                    stream.shutdown(socket.SHUT_WR)
                    while stream.recv(65536):
                        pass
            except OSError:
                pass

    threads = [threading.Thread(target=part, args=(draw.random(),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "10,000 messages"


def half_open(port):
    streams = []
    for number in range(1000):
        try:
            stream = connect(port)
            if number % 2:
                stream.sendall(b"POST / HTTP/1.0\r\nContent-Le")
            streams.append(stream)
        except OSError:
            break
    time.sleep(15)
    closed = 0
    for stream in streams:
        stream.settimeout(0.01)
        try:
            # Some are told why before they are closed.
            while stream.recv(1000):
                pass
            closed += 1
        except TimeoutError:
            pass
        except OSError:
            closed += 1
        stream.close()
    return f"{len(streams)} connections, {closed} closed after 15 s"


def huge(port):
    sent = []
    for length in ("Content-Length: 104857600\r\n", ""):
        with connect(port) as stream:
            count = 0
            try:
                stream.sendall(f"POST / HTTP/1.0\r\n{length}\r\n( START m left ((".encode())
                for _ in range(100):
                    stream.sendall(b"x" * (1 << 20))
                    count += 1
            except OSError:
                pass
            sent.append(count)
    return f"of 100 MiB it took {sent}"


def growing(port):
    said = {}
    for number, (what, text) in enumerate(GROWING.items()):
        try:
            began = time.monotonic()
            answer = say(port, f"( START grow{number} left {text} 5 1)")
            took = time.monotonic() - began
            plays = [say(port, f"( PLAY grow{number} {'NIL' if turn == 0 else '(go)'} )") for turn in range(3)]
            say(port, f"( ABORT grow{number} )")
            said[what] = f"{answer} in {took:.1f} s, then {plays}"
        except OSError as error:
            said[what] = f"{error!r}"
    return str(said)


def disorder(port):
    text = ("(( role a ) ( init ( n 0 ) ) ( up 0 1 ) ( up 1 2 ) ( up 2 0 ) ( <= ( legal a ( go ?n ) ) ( true ( n ?n ) ) ) "
            "( <= ( next ( n ?m ) ) ( true ( n ?n ) ) ( up ?n ?m ) ) )")
    draw, answers = random.Random(5), []

    def send(message, wait):
        time.sleep(wait)
        answers.append(say(port, message))

    for number in range(50):
        messages = [f"( START d{number} a {text} 1 1)", f"( PLAY d{number} NIL )", f"( PLAY d{number} (( go 0 ) ) )",
                    f"( PLAY d{number} (( no such ) ) )", f"( STOP d{number} (( go 2 ) ) )"] * 3
        threads = [threading.Thread(target=send, args=(message, draw.random() * 0.06)) for message in messages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        say(port, f"( ABORT d{number} )")
    return f"{len(answers)} of 750 answered"


def managers():
    """Hostile managers beside a good match: memory bounded, no late move."""
    for attack in (malformed, half_open, huge, growing, disorder):
        with Served("mcts:memory=64", "--matches", 3) as served:
            proxy, stop = Proxy(served.port), threading.Event()
            codes, peak, before = [], [served.resident()], served.resident()

            def watch():
                while not stop.is_set():
                    peak.append(served.resident())
                    time.sleep(0.02)

            def play():
                while not stop.is_set():
                    run = ggp("host", "games/tic_tac_toe.kif", f"--player=x={proxy.url}", "--player=o=random",
                              "--startclock", 2, "--playclock", 1)
                    codes.append(run.returncode)
                    if run.returncode:
                        print(run.stderr[-500:])

            threads = [threading.Thread(target=watch), threading.Thread(target=play)]
            for thread in threads:
                thread.start()
            time.sleep(2)
            began = time.time()
            told = attack(served.port)
            length = time.time() - began
            stop.set()
            for thread in threads:
                thread.join()
            took = [t for verb, t in proxy.times if verb == "PLAY"]
            check(f"{attack.__name__}: {told}; in {length:.1f} s; beside it {len(codes)} matches with {len(took)} moves, "
                  f"the latest after {max(took):.3f} s of 1; memory {before:.0f} MiB before, {max(peak):.0f} at most; "
                  f"then {served.say('( INFO )')}", not any(codes) and max(took) < 1 and max(peak) < 1024)


def hidden():
    """Our game of hidden information, hosted and served, by random and searching players."""
    for spec in ("random", "mcts:iterations=200"):
        goals = []
        with Served(spec) as served:
            role = [role for role in roles(HIDDEN) if role != "random"][0]
            for seed in range(60):
                record = os.path.join(SCRATCH, "hidden.json")
                run = ggp("host", f"games/{HIDDEN}.kif", f"--player={role}={served.url}", "--startclock", 2,
                          "--playclock", 2, "--seed", seed, "--save", record, *(["--scramble"] if seed % 2 else []))
                if run.returncode:
                    check(f"{spec}: {run.stderr[-300:]}", False)
                value = json.load(open(record))
                goals.append(value["goalValues"][[n != "nature" for n in value["playerNamesFromHost"]].index(True)])
        print(f"  {spec}: mean goal {sum(goals) / len(goals):.1f} of {len(goals)} matches")


HIDDEN = "monty_hall"


def memory():
    """What a match of `ggp serve` takes, game by game."""
    for name in FIVE + THREE:
        with Served("mcts") as served:
            before = served.resident()
            served.say(f"( START m {roles(name)[0]} {rules(name)} 10 10)")
            start = served.resident()
            served.say("( PLAY m NIL )")
            check(f"{name}: {before:.0f} MiB idle, {start:.0f} started, {served.resident('VmHWM'):.0f} at most after a "
                  "move of 10 s", served.resident("VmHWM") < 1400)
            served.say("( ABORT m )")


if __name__ == "__main__":
    run((hundred, thinking, comply, players, managers, hidden, memory, slack))
