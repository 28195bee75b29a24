#!/usr/bin/env python3
"""The figures of the browser, measured as a person and a crowd would see them.

    cargo build --release -p ggp-cli
    tests/acceptance/web.py [NAME ...]      (without a name: all, some three minutes on two cores)

Each check prints its figures and whether they are as they should be; the exit code is 1 when one
is not. Needs python3, and for clicks and paint Chromium and its driver (apt-get install chromium
chromium-driver). GGP names another binary, GGP_CORPUS another folder of published rulesheets, GGP_SCRATCH a directory
that is kept.
"""

import base64
import itertools
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from common import CORPUS, GGP, ROOT, SCRATCH, check, run

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--disable-dev-shm-usage", "--window-size=1280,900"]


def ask(method, address, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, data, headers, method=method), timeout=120) as answer:
        return json.loads(answer.read() or b"{}")


class Server:
    """`ggp web` on a port of its own."""

    def __init__(self, *words):
        self.child = subprocess.Popen([GGP, "web", "--port", "0", *map(str, words)], cwd=ROOT,
                                      stdout=subprocess.PIPE, text=True)
        self.address = self.child.stdout.readline().split()[-1].rstrip("/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait()

    def open(self, game, seats):
        return self.address + "/api/sessions/" + ask("POST", self.address + "/api/sessions",
                                                     {"game": game, "seats": seats})["id"]

    def memory(self):
        """The greatest resident memory so far, in MiB."""
        with open(f"/proc/{self.child.pid}/status") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


class Browser:
    """Headless Chromium, by the WebDriver protocol."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="profile-", dir=SCRATCH)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(found.group(1) for line in self.driver.stdout
                    if (found := re.search(r"started successfully on port (\d+)", line)))
        options = {"args": [*OPTIONS, f"--user-data-dir={self.profile}"]}
        wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}}
        self.address = f"http://127.0.0.1:{port}/session"
        self.address += "/" + ask("POST", self.address, wanted)["value"]["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        ask("DELETE", self.address)
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def post(self, path, **body):
        return ask("POST", self.address + path, body)["value"]

    def cdp(self, command, **parameters):
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    def run(self, script, *arguments):
        return self.post("/execute/sync", script=script, args=arguments)

    def wait(self, script, patience=60):
        end = time.monotonic() + patience
        while not (value := self.run(f"return ({script})")):
            if time.monotonic() > end:
                raise TimeoutError(script + " does not come true: " + self.run("return document.body.innerText"))
            time.sleep(0.02)
        return value

    def picture(self, name):
        with open(os.path.join(SCRATCH, name + ".png"), "wb") as file:
            file.write(base64.b64decode(ask("GET", self.address + "/screenshot")["value"]))

    def click(self, selector):
        element = self.post("/element", using="css selector", value=selector)
        self.post(f"/element/{next(iter(element.values()))}/click")


# From the event of a click to the first frame after what is on a square has changed. A message
# that is posted in a frame is handled when that frame has been drawn.
STOPWATCH = """
const found = window.found = [];
let clicked = null;
addEventListener("click", (event) => {
  if (event.target.closest(".square")) clicked = event.timeStamp;
}, true);
new MutationObserver((changes) => {
  if (clicked === null || !changes.some((change) => change.type === "childList")) return;
  const began = clicked, changed = performance.now();
  clicked = null;
  requestAnimationFrame(() => {
    const drawn = new MessageChannel();
    drawn.port1.onmessage = () => found.push([changed - began, performance.now() - began]);
    drawn.port2.postMessage(null);
  });
}).observe(document.querySelector(".boards"), { childList: true, subtree: true });
"""


def spread(times):
    times = sorted(times)
    return f"median {statistics.median(times):.0f} ms, 95 % within {late(times):.0f} ms, worst {times[-1]:.0f} ms of {len(times)}"


def late(times):
    """The 95th percentile."""
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


PERSON, ENGINE = {"kind": "person"}, {"kind": "engine", "seconds": 0.5}
LONG = {"kind": "engine", "seconds": 30}


def play(browser, session, clicks):
    """Plays by clicks on squares, any that can be clicked; the times from each that moved."""
    browser.run(f"location.hash = 's={session.rsplit('/', 1)[1]}'")
    browser.wait("document.querySelector('.square.next') !== null")
    browser.run(STOPWATCH)
    for number in range(clicks):
        ready = "document.querySelector('.state').textContent.startsWith('Over') || " \
                "(document.querySelector('.square.next') !== null && !document.querySelector('.moving'))"
        browser.wait(ready)
        for _ in range(3):
            squares = browser.run("return [...document.querySelectorAll('.square.next')].map(s => s.dataset.square)")
            if not squares or len(browser.run("return window.found")) > number:
                break
            browser.click(f".square[data-square='{squares[number * 7 % len(squares)]}']")
            time.sleep(0.15)
    return browser.run("return window.found")


def clicks():
    """From a click to the frame that shows the move, while nobody thinks, one engine, or all cores."""
    with Server() as server, Browser() as browser:
        browser.post("/url", url=server.address + "/")
        for title, rival, others, count in (("nobody thinks", PERSON, 0, 24), ("the other side thinks", ENGINE, 0, 100),
                                            ("the other side and two other sessions think", ENGINE, 2, 24)):
            beside = [server.open("english_draughts", [LONG, LONG]) for _ in range(others)]
            times = []
            for game in itertools.cycle(["breakthrough_holes", "english_draughts", "skirmish"]):
                if len(times) >= count:
                    break
                session = server.open(game, [PERSON, rival])
                times += play(browser, session, min(34, count - len(times)))
                ask("DELETE", session)
            for session in beside:
                ask("DELETE", session)
            changed, drawn = zip(*times)
            median = statistics.median(drawn)
            print(f"  {title}: changed {spread(changed)}; drawn {spread(drawn)}", flush=True)
            check(f"{title}: median {median:.0f} ms under 50", len(drawn) >= count and median < 50)
            check(f"{title}: 95 % within {late(drawn):.0f} ms, under 150", late(drawn) < 150)


def paint():
    """From the address to the first paint, and to the board, with nothing kept from before."""
    for words in ((), ("--games", os.path.join(CORPUS, "rules"))):
        first_paint(*words)


def first_paint(*words):
    with Server(*words) as server, Browser() as browser:
        games = ask("GET", server.address + "/api/games")["games"]
        session = server.open(games[0], [PERSON, PERSON])
        browser.cdp("Network.enable")
        browser.cdp("Network.setCacheDisabled", cacheDisabled=True)
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source="""
            new MutationObserver((_, observer) => {
              if (!document.querySelector(".square, .games")) return;
              observer.disconnect();
              requestAnimationFrame(() => setTimeout(() => { window.shown = performance.now(); }));
            }).observe(document, { childList: true, subtree: true });""")
        for title, page in ((f"{len(games)} games", "/"), ("a board", "/#s=" + session.rsplit("/", 1)[1])):
            first, whole = [], []
            for _ in range(20):
                browser.post("/url", url="about:blank")
                browser.post("/url", url=server.address + page)
                browser.wait("window.shown && performance.getEntriesByName('first-paint').length")
                first.append(browser.run("return performance.getEntriesByName('first-paint')[0].startTime"))
                whole.append(browser.run("return window.shown"))
            print(f"  {title}: first paint {spread(first)}; shown {spread(whole)}", flush=True)
            median = statistics.median(first)
            check(f"{title}: first paint, median {median:.0f} ms under 200", median < 200)


# Each game of hidden information, with the players in its seats.
HIDDEN = [("monty_hall", ["person"]), ("kuhn_poker", ["person", "engine"]), ("kuhn_poker", ["person", "person"]),
          ("liars_dice", ["person", "random"]), ("liars_dice", ["person", "person"]), ("mastermind", ["person"]),
          ("phantom_tic_tac_toe", ["engine", "person"]), ("phantom_tic_tac_toe", ["person", "person"]),
          ("ship_hunt", ["person"])]

# What a person can do now: lift the curtain, or click one of so many squares or buttons.
OPEN_TO = """(() => {
  const state = document.querySelector(".state")?.textContent ?? "";
  if (state.startsWith("Over")) return { over: state };
  const lift = document.querySelector("#lift");
  if (lift && !lift.hidden) return { lift: lift.textContent };
  const squares = [...document.querySelectorAll(".square.next")].map((square) => square.dataset.square);
  const choices = document.querySelectorAll(".choices button").length;
  return squares.length || choices ? { squares, choices } : null;
})()"""


def hidden():
    """A person plays every game of hidden information to its end by clicks, on a desktop and on a phone."""
    with Server() as server, Browser() as browser:
        for width, height in ((1280, 900), (390, 844)):
            browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                        mobile=False)
            for game, kinds in HIDDEN:
                seats = [{"kind": kind, **({"seconds": 0.2} if kind == "engine" else {})} for kind in kinds]
                session = server.open(game, seats)
                browser.post("/url", url="about:blank")
                browser.post("/url", url=server.address + "/#s=" + session.rsplit("/", 1)[1])
                name = f"{game}-{'-'.join(kinds)}-{width}"
                lifted = clicked = wide = 0
                while not (standing := browser.wait(OPEN_TO)).get("over"):
                    wide = max(wide, browser.run("return document.documentElement.scrollWidth - innerWidth"))
                    if standing.get("lift"):
                        if not lifted:
                            browser.picture(name + "-curtain")
                        # The keyboard is enough: the curtain has the focus.
                        browser.run("document.activeElement.click()")
                        lifted += 1
                        browser.wait("document.querySelector('#lift') === null")
                        continue
                    if clicked in (1, 2):
                        browser.picture(f"{name}-{clicked}")
                    steps = "document.querySelectorAll('.step').length"
                    before = browser.run(f"return [{steps}, document.querySelectorAll('.square.chosen').length]")
                    if standing["squares"]:
                        squares = standing["squares"]
                        square = squares[(clicked * 7 + len(squares) // 2) % len(squares)]
                        browser.run("document.querySelector(`[data-square='${arguments[0]}']`)?.click()", square)
                    else:
                        at = (clicked * 7 + 1) % standing["choices"]
                        browser.run("document.querySelectorAll('.choices button')[arguments[0]]?.click()", at)
                    clicked += 1
                    moved = f"[{steps}, document.querySelectorAll('.square.chosen').length].join() !== " \
                            f"'{before[0]},{before[1]}' || document.querySelector('#lift')"
                    browser.wait(moved)
                browser.picture(name + "-over")
                people = kinds.count("person")
                check(f"{name}: {clicked} clicks, {lifted} curtains: {standing['over']}",
                      clicked > 0 and (lifted > 1 if people > 1 else lifted == 0) and wide <= 0)


def sessions():
    """50 sessions that think for a minute: all live, in fair shares, within bounds."""
    count, games, seconds, memory = 50, ("breakthrough_holes", "english_draughts"), 60, 64
    with Server("--sessions", count, "--memory", memory) as server:
        before = server.memory()
        long = {"kind": "engine", "seconds": 110}
        tables = [(game, server.open(game, [long, long])) for _ in range(count // len(games)) for game in games]
        began = time.monotonic()
        try:
            server.open(games[0], [long, long])
            refused = None
        except urllib.error.HTTPError as error:
            refused = error.code
        check(f"session {count + 1} is refused with {refused}, as it should be with 503", refused == 503)
        # All of them are asked all the time, as pages would be told.
        answers = []
        while time.monotonic() < began + seconds:
            for _, table in tables:
                asked = time.monotonic()
                ask("GET", table)
                answers.append((time.monotonic() - asked) * 1000)
                time.sleep(0.02)
        standing = [(game, ask("GET", table)["status"]) for game, table in tables]
        peak, total = server.memory(), sum(status["spent"] for _, status in standing)
        check(f"all {count} think: {sum(status['working'] is not None for _, status in standing)}",
              all(status["working"] is not None and not status["note"] for _, status in standing))
        print(f"  {total:.0f} s of thinking in {time.monotonic() - began:.0f} s; the server answers in {spread(answers)}")
        for game in games:
            for what, read in (("thinking time", lambda status: status["spent"]),
                               ("iterations", lambda status: (status["thought"] or {"iterations": 0})["iterations"])):
                shares = [read(status) for name, status in standing if name == game]
                ratio = max(shares) / max(min(shares), 1e-9)
                text = f"{game}: {what} from {min(shares):.5g} to {max(shares):.5g}, ratio {ratio:.2f}"
                print("  " + text) if what == "iterations" else check(text + " (at most 1.25)", ratio <= 1.25)
        most = count * memory + 512
        check(f"{before:.0f} MiB at first, {peak:.0f} at most (under {most})", peak < most)
        for _, table in tables:
            ask("DELETE", table)
        session = server.open(games[0], [long, PERSON])
        check("it lives on and opens another session", bool(ask("GET", session)["status"]))


if __name__ == "__main__":
    run((clicks, paint, hidden, sessions))
