#!/usr/bin/env python3
"""Contact sheets: the boards of all rulesheets of a folder as pictures, to be looked at.

    tests/acceptance/boards.py FOLDER OUT [NAME …]

Draws for each rulesheet the first position and the one after 20 random moves (`ggp view --svg`), and lets headless
Chromium compose them into PNG images in the folder OUT: `desktop-01.png`, … at a width of 1280 pixels, and
`phone-01.png`, … at 390 pixels. With names, draws only these games. Exits with 1 if a game cannot be drawn, or if a
drawing is no well-formed XML. GGP names another binary. 154 games take about two minutes of CPU time.
"""

import html
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as tree

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
GGP = os.environ.get("GGP", os.path.join(ROOT, "target/release/ggp"))
MOVES = 20
STYLE = """
body { margin: 8px; font: 13px system-ui, sans-serif; background: #fbf9f4; display: grid; gap: 10px; }
section { border: 1px solid #ddd; border-radius: 6px; padding: 4px; min-width: 0; }
h2 { font-size: 13px; margin: 2px 4px; overflow: hidden; white-space: nowrap; }
div { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; align-items: center; }
svg { width: 100%; height: var(--height); }
"""
# The width of the window, the games on a line, the lines on a sheet, the height of a drawing.
SHEETS = {"desktop": (1280, 2, 4, 310), "phone": (390, 1, 6, 360)}


def draw(path, *words):
    done = subprocess.run([GGP, "view", path, "--svg", *words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    tree.fromstring(done.stdout)
    return done.stdout


def shoot(name, games, out):
    width, across, lines, height = SHEETS[name]
    per = across * lines
    for number, start in enumerate(range(0, len(games), per), 1):
        cards = "".join(
            f"<section><h2>{html.escape(game)}</h2><div>{''.join(drawings if name == 'desktop' else drawings[1:])}</div></section>"
            for game, drawings in games[start : start + per]
        )
        columns = f"body {{ --height: {height}px; grid-template-columns: repeat({across}, minmax(0, 1fr)) }}"
        if name == "phone":
            columns += " div { grid-template-columns: 1fr }"
        page = f"<!doctype html><meta charset=utf-8><style>{STYLE}{columns}</style>{cards}"
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
            file.write(page)
        picture = os.path.join(out, f"{name}-{number:02}.png")
        size = f"--window-size={width},{lines * (height + 44) + 20}"
        chromium = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size]
        subprocess.run(
            [*chromium, f"--screenshot={picture}", f"file://{file.name}"], check=True, capture_output=True, timeout=120
        )
        os.unlink(file.name)
        print(picture, flush=True)


def main():
    folder, out, *names = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    games, failed = [], []
    began = time.process_time()
    for file in sorted(os.listdir(folder)):
        name, extension = os.path.splitext(file)
        if extension != ".kif" or names and name not in names:
            continue
        path = os.path.join(folder, file)
        try:
            games.append((name, [draw(path), draw(path, "--random", str(MOVES))]))
        except (RuntimeError, subprocess.TimeoutExpired, tree.ParseError) as error:
            failed.append(name)
            print(f"{name}: {error}", flush=True)
    for sheet in SHEETS:
        if os.environ.get("SHEET", sheet) == sheet:
            shoot(sheet, games, out)
    print(f"{len(games)} games drawn, {len(failed)} failed, {time.process_time() - began:.0f} s")
    sys.exit(1 if failed else 0)


main()
