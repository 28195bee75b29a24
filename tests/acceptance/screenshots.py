#!/usr/bin/env python3
"""The pictures of the book and the README: six games in the browser, light and dark, on a desktop and a phone.

    cargo build --release -p ggp-cli
    tests/acceptance/screenshots.py [FOLDER]      (without a folder: crates/ggp/book/src/pictures)

Each game is shown twice: as GAME-desktop.webp, 1280 pixels wide, and as GAME-phone.webp, 390 pixels wide, one of them in
light colours, the other in dark ones. The positions come from openings in this script, so they stay the same. gallery.webp is the front page. Needs Chromium and its driver, as web.py does; GGP names another binary.
"""

import base64
import os
import re
import subprocess
import sys
import time

from common import GGP, ROOT, SCRATCH
from web import Browser, Server, ask

PICTURES = os.path.join(ROOT, "crates/ggp/book/src/pictures")
PERSON, ENGINE = {"kind": "person"}, {"kind": "engine", "iterations": 20_000}
# Each game with its opening, as `ggp play` takes moves from a person, whether a hint is shown, and whether the desktop is dark.
GAMES = [
    ("chess", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d4 e5d4 c3d4 c5b4", True, False),
    ("hex", "13 7 8 11 15 12 14 5", False, True),
    ("kalah", "3 1 2 4 5 1 6 2 3", False, False),
    ("reversi", "1 1 2 1 3 2 1 4 2 3 1 2 4 1 2 2", False, True),
    ("english_draughts", "4 2 1 3 2 1 1 2 1 1", True, True),
    ("connect_four", "4 4 3 3 5 5 6", False, False),
]
SIZES = {"desktop": (1280, 860, False), "phone": (390, 844, True)}


def played(game, moves):
    """The record of a match of `game` that begins with `moves` between two people."""
    path, rules = os.path.join(SCRATCH, game + ".json"), f"games/{game}.kif"
    with open(os.path.join(ROOT, rules)) as file:
        roles = re.findall(r"^\(role (\S+)\)", file.read(), re.MULTILINE)
    lines = [re.sub(r"^([a-h])(\d)([a-h])(\d)$", r"(move \1 \2 \3 \4)", move) for move in moves.split()]
    people = [word for role in roles for word in ("--human", role)]
    done = subprocess.run([GGP, "play", rules, *people, "--save", path], cwd=ROOT, input="\n".join([*lines, "q\n"]),
                          capture_output=True, text=True)
    if not os.path.exists(path):
        sys.exit(done.stderr)
    with open(path) as file:
        return file.read()


def shoot(browser, path, dark, size):
    width, height, is_phone = SIZES[size]
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1.5, mobile=is_phone)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
              {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.cdp("Emulation.setEmulatedMedia", features=scheme)
    browser.run("scrollTo(0, 0)")
    browser.wait("document.getAnimations().length === 0")
    found = browser.cdp("Page.captureScreenshot", format="webp", quality=80)
    with open(path, "wb") as file:
        file.write(base64.b64decode(found["data"]))
    print(f"{path}: {os.path.getsize(path) // 1024} KiB", flush=True)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else PICTURES
    os.makedirs(folder, exist_ok=True)
    with Server() as server, Browser() as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=1280, height=860, deviceScaleFactor=1.5, mobile=False)
        browser.post("/url", url=server.address)
        browser.wait("document.querySelectorAll('.card').length > 0")
        browser.wait("[...document.querySelectorAll('.card')].slice(0, 8).every(c => c.querySelector('.thumb').childElementCount)")
        shoot(browser, os.path.join(folder, "gallery.webp"), False, "desktop")
        for game, moves, hint, dark in GAMES:
            session = server.address + "/api/sessions/" + ask("POST", server.address + "/api/sessions", {
                "game": game, "seats": [PERSON, ENGINE if hint else PERSON], "record": played(game, moves)})["id"]
            while hint and ask("GET", session)["status"]["reasoner"]["name"] != "propnet":
                time.sleep(0.2)
            browser.post("/url", url="about:blank")
            browser.post("/url", url=server.address + "/#s=" + session.rsplit("/", 1)[1])
            browser.wait("document.querySelector('.square') !== null")
            if browser.run("return document.querySelector('.state').textContent.startsWith('Over')"):
                browser.wait("document.querySelector('.square.deciding') !== null")
            if hint:
                browser.wait("!document.querySelector('#hint').disabled")
                browser.click("#hint")
                browser.wait("document.querySelector('.arrows')?.childElementCount > 0")
            for size in SIZES:
                shoot(browser, os.path.join(folder, f"{game}-{size}.webp"), dark == (size == "desktop"), size)
            ask("DELETE", session)


if __name__ == "__main__":
    main()
