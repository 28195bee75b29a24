#!/usr/bin/env python3
"""What `ggp learn` learns of games: the chart and the tables of the page "Strength of the search".

    cargo build --release -p ggp-cli
    tests/acceptance/learning.py [--minutes 5] [--seed 1] [--folder FOLDER] [--svg FILE] [GAME...]

Each game, of the corpus or a file, is learnt with one thread; without games, the ten that `measure --suite ten` has. The
folder, if it is given, keeps the knowledge of each game, and the next call goes on with the games that it lacks. Prints two
tables in Markdown. The chart needs matplotlib. GGP names another binary.
"""

import argparse
import json
import pathlib
import sys

from common import CORPUS, SCRATCH, ggp

TEN = ["breakthrough", "pawnToQueen", "connectFour_9x6", "hexPie", "checkers-mustjump"]
TEN += ["breakthroughSmall", "connect5", "nineBoardTicTacToe", "dotsAndBoxes", "othelloSuicide"]
POLICY, HISTORY = "#0072b2", "#d55e00"


def learnt(game, folder, minutes, seed):
    """What the file of knowledge of `game` holds; learns the game if there is none."""
    name = pathlib.Path(game).stem if game.endswith(".kif") else game
    rules = game if game.endswith(".kif") else pathlib.Path(CORPUS) / "rules" / f"{game}.kif"
    file = folder / f"{name}.knowledge"
    if not file.exists():
        print(f"learning {name}", file=sys.stderr, flush=True)
        ended = ggp("learn", rules, "--threads=1", f"--minutes={minutes}", f"--seed={seed}", f"--knowledge={file}")
        if ended.returncode:
            sys.exit(ended.stderr)
    shown = ggp("analyze", rules, "--learnt", file, "--json")
    if shown.returncode:
        sys.exit(shown.stderr)
    return name, json.loads(shown.stdout)


def tables(games):
    """A column for each generation, up to the most of any game; then what the gate has decided."""
    most = max(len(one["generations"]) for _, one in games)
    numbers = range(1, most + 1)
    print("| game |", " | ".join(map(str, numbers)), "| history | descents |")
    print("|---" * (most + 3) + "|")
    for name, one in games:
        shares = [f"{generation['by_policy']:z.2f}" for generation in one["generations"]]
        last = one["generations"][-1]
        shares += [""] * (most - len(shares)) + [f"{last['by_history']:z.2f}", f"{last['descents'] / 1e6:.1f} M"]
        print(f"| {name} |", " | ".join(shares), "|")
    print("\n| game | predicts better | matches | share | used |\n|---|---|---|---|---|")
    for name, one in games:
        last, trial = one["generations"][-1], one["trial"]
        matches, share = (trial["matches"], f"{trial['share']:.2f}") if trial else ("", "")
        predicts, used = ("yes" if flag else "no" for flag in (last["used"], one["used"]))
        print(f"| {name} | {predicts} | {matches} | {share} | {used} |")
    print(f"\nused in {sum(one['used'] for _, one in games)} of {len(games)} games")


def chart(games, file):
    """The two shares by descents, a small chart for each game."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ggp", "font.size": 9})
    from matplotlib import pyplot

    columns = min(5, len(games))
    rows = -(-len(games) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(10, 2.3 * rows), sharey=True, squeeze=False)
    for axis in axes.flat[len(games) :]:
        axis.set_axis_off()
    for axis, (name, one) in zip(axes.flat, games):
        descents = [generation["descents"] / 1e6 for generation in one["generations"]]
        for key, colour, style in (("by_policy", POLICY, "-"), ("by_history", HISTORY, "--")):
            values = [generation[key] for generation in one["generations"]]
            axis.plot(descents, values, style, color=colour, linewidth=1.5)
        axis.set_title(name, fontsize=9)
        axis.grid(color="#ddd", linewidth=0.5)
    axes[0][0].set_ylabel("share explained")
    figure.supxlabel("million descents of self-play", fontsize=9)
    lines = axes[0][0].get_lines()
    figure.legend(lines, ["policy", "history of moves"], loc="upper right", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    figure.savefig(file, metadata={"Date": None, "Creator": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=TEN)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(SCRATCH))
    parser.add_argument("--svg", metavar="FILE")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    folder = arguments.folder.resolve()
    games = [learnt(game, folder, arguments.minutes, arguments.seed) for game in arguments.games]
    tables(games)
    if arguments.svg:
        chart(games, arguments.svg)


if __name__ == "__main__":
    main()
