#!/usr/bin/env python3
"""The figures of the match harness, measured through the command line as a user would.

    cargo build --release -p ggp-cli
    tests/acceptance/match.py [NAME ...]      (without a name: all, some 40 minutes on two cores)

Each check prints its figures and whether they are as they should be; the exit code is 1 when one
is not. Needs python3 and nothing else. GGP names another binary, GGP_SCRATCH a directory that is kept.
"""

import json
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import threading
import time

from common import FIVE, GGP, ROOT, SCRATCH, check, ggp, run



def games(*names):
    return [f"games/{name}.kif" for name in names]


def scratch(name):
    path = os.path.join(SCRATCH, name)
    if os.path.exists(path):
        os.remove(path)
    return path


def results(path):
    """Results by id, without what depends on time."""
    found = {}
    with open(path) as lines:
        for line in lines:
            result = json.loads(line)
            for key in ("time", "ended"):
                result.pop(key, None)
            assert result["id"] not in found, f"{result['id']} was played twice"
            found[result["id"]] = result
    return found


def ranks(run):
    lines = run.stdout.split("\n\n")[0].splitlines()[2:]
    return [line.split()[0] for line in lines]


def league():
    """Three players over the five games: the tables in the right order, and H1 accepted."""
    players = ["--player=big=mcts:iterations=200", "--player=small=mcts:iterations=50"]
    run = ggp("match", *games(*FIVE), *players, "--player=dice=random", "--games", 200, "--openings", 2,
              "--out", scratch("league.jsonl"), "--save", os.path.join(SCRATCH, "league"),
              "--report", os.path.join(SCRATCH, "league.html"))
    print(run.stdout)
    check(f"exit code {run.returncode} is 0", run.returncode == 0)
    check(f"ratings in the order {ranks(run)}", ranks(run) == ["big", "small", "dice"])
    for other, spec in (("small", players[1]), ("dice", "--player=dice=random")):
        run = ggp("match", *games(*FIVE), players[0], spec, "--games", 1000, "--openings", 2, "--sprt", "elo0=0",
                  "elo1=100")
        print("\n".join(run.stdout.splitlines()[-4:]))
        check(f"big against {other}: H1 accepted", run.returncode == 0 and "H1 accepted" in run.stdout)


def selfplay():
    """The same player against itself, 100 seeds: how often it is called different."""
    for title, files, spec, sprt in (
        ("mcts:iterations=30, endgame and pawn_whopping, elo1=100", games("endgame", "pawn_whopping"),
         "mcts:iterations=30", ["elo0=0", "elo1=100"]),
        ("random, tic_tac_toe, elo1=30", games("tic_tac_toe"), "random", ["elo0=0", "elo1=30"]),
    ):
        wrong, right, undecided, played = 0, 0, 0, 0
        for seed in range(1, 101):
            run = ggp("match", *files, f"--player=a={spec}", f"--player=b={spec}", "--games", 4000,
                      "--openings", 1, "--seed", seed, "--sprt", *sprt)
            wrong += "H1 accepted" in run.stdout
            right += "H0 accepted" in run.stdout
            undecided += "undecided" in run.stdout or "accepted" not in run.stdout
            played += int(re.search(r"after (\d+) pairs", run.stdout).group(1)) if "pairs" in run.stdout else 0
        check(f"{title}: {wrong} of 100 called different (at most 10), {right} not, {undecided} undecided", wrong <= 10)


def kill():
    """kill -9 at ten random points, then resume: what an uninterrupted run has."""
    draw = random.Random(7)
    for reasoner in ("auto", "datalog"):
        arguments = ["match", *games("tic_tac_toe", "endgame", "rock_paper_scissors", "three_player_tic_tac_toe"),
                     "--player=a=mcts:iterations=60", "--player=b=mcts:iterations=20", "--player=c=random",
                     "--games", "240", "--openings", "1", "--reasoner", reasoner, "--concurrency", "2"]
        whole, torn = scratch(f"whole-{reasoner}.jsonl"), scratch(f"torn-{reasoner}.jsonl")
        began = time.time()
        run = ggp(*arguments, "--out", whole)
        length = time.time() - began
        expected, kills, before = results(whole), 0, []
        saved = os.path.join(SCRATCH, f"torn-{reasoner}")
        # Each life lasts up to a sixth of the whole, so that it takes all of ten lives and more.
        while kills < 10:
            child = subprocess.Popen([GGP, *arguments, "--resume", torn, "--save", saved], cwd=ROOT,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0.02, length / 6))
            if child.poll() is not None:
                break
            child.kill()
            child.wait()
            kills += 1
            text = open(torn, "rb").read() if os.path.exists(torn) else b""
            before.append(text.count(b"\n"))
        run = ggp(*arguments, "--resume", torn, "--save", saved)
        check(f"{reasoner}: {kills} kills after {before} matches; {len(expected)} matches, the same as at once",
              run.returncode == 0 and kills == 10 and results(torn) == expected)
        kept = len([name for name in os.listdir(saved) if name.endswith(".json")])
        check(f"{reasoner}: {kept} records saved", kept == len(expected))


def shards():
    """Two shards, merged, are the whole."""
    for reasoner in ("auto", "datalog"):
        arguments = ["match", *games("endgame", "nim", "rock_paper_scissors"), "--player=a=mcts:iterations=60",
                     "--player=b=random", "--games", "60", "--openings", "1", "--reasoner", reasoner]
        whole = scratch(f"all-{reasoner}.jsonl")
        ggp(*arguments, "--out", whole)
        parts = []
        for shard in ("1/2", "2/2"):
            parts.append(scratch(f"part-{reasoner}-{shard[0]}.jsonl"))
            ggp(*arguments, "--shard", shard, "--out", parts[-1])
        merged = scratch(f"merged-{reasoner}.jsonl")
        run = ggp("merge", *parts, "--out", merged)
        counts = [len(results(part)) for part in parts]
        check(f"{reasoner}: {' + '.join(map(str, counts))} = {len(results(merged))}: {run.stderr.strip()}",
              run.returncode == 0 and results(merged) == results(whole))
        one, two = [json.loads(ggp("stats", path, "--json").stdout) for path in (whole, merged)]
        check(f"{reasoner}: the same statistics", one["pairs"] == two["pairs"])


def faults():
    """Bad programs as players, under each policy."""
    answer = "case $line in *START*) echo ready;; *PLAY*) %s;; *) echo done;; esac"
    programs = {
        "crashing": ("crash", answer % "exit 1"),
        "silent": ("timeout", answer % ":"),
        "illegal": ("illegal", answer % "echo '(mark 9 9)'"),
        "slow": ("timeout", answer % "sleep 1; echo noop"),
        "garbage": ("illegal", answer % "head -c 3000000 /dev/zero; echo '((('"),
        # It passes the trial before the first match.
        "absent": ("start", "case $line in *' trial '*) echo ready;; *) sleep 100;; esac"),
    }
    for policy in ("random", "first", "forfeit"):
        for name, (kind, body) in programs.items():
            out = scratch(f"fault-{name}-{policy}.jsonl")
            program = shlex.join(["sh", "-c", f"while read line; do {body}; done"])
            began = time.time()
            run = ggp("match", "games/tic_tac_toe.kif", f"--player=bad=cmd:{program}", "--player=good=random",
                      "--games", 4, "--startclock", 0.2, "--playclock", 0.1, "--on-fault", policy, "--out", out,
                      "--iterations", 1)
            kinds, endings, blamed, asked = {}, {}, set(), 0
            for result in results(out).values():
                endings[result["ending"]] = endings.get(result["ending"], 0) + 1
                for fault in result.get("faults", []):
                    kinds[fault["kind"]] = kinds.get(fault["kind"], 0) + 1
                    blamed.add(result["players"][fault["role"]])
            with open(out) as lines:
                for line in lines:
                    result = json.loads(line)
                    asked += result["time"][result["players"].index("bad")]["moves"]
            ending = "terminal" if policy != "forfeit" else "unplayed" if kind == "start" else "forfeit"
            good = run.returncode == 0 and blamed == {"bad"} and endings == {ending: 4}
            if kind != "start":
                good = good and kinds == {kind: 4 if policy == "forfeit" else asked}
            else:
                good = good and kinds.get("start") == 4
            row = [line for line in run.stdout.splitlines() if line.startswith("bad")][-1]
            check(f"{policy:8} {name:9} {time.time() - began:5.1f} s  {kinds} {endings}  | {row}", good)


def scale():
    """10,000 matches of random players: CPU time and peak memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(
        [GGP, "match", "games/tic_tac_toe.kif", "--player=a=random", "--player=b=random", "--games", "10000",
         "--out", scratch("scale.jsonl")], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = []
    while child.poll() is None:
        try:
            status = open(f"/proc/{child.pid}/status").read()
            memory.append(int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024)
        except (OSError, AttributeError):
            pass
        time.sleep(0.1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    played = len(results(os.path.join(SCRATCH, "scale.jsonl")))
    quarter, last = memory[len(memory) // 4], memory[-1]
    check(f"{played} matches in {cpu:.1f} s of CPU time (under 60); {quarter:.0f} MiB after a quarter, {last:.0f} at "
          f"the end, {max(memory):.0f} at most (under 200)", cpu < 60 and max(memory) < 200 and played == 10000)


def sleeper(clock, slept, stop):
    """Sleeps to a deadline as a bare program does, beside the matches: what the machine adds by itself."""
    while not stop.is_set():
        began = time.monotonic()
        time.sleep(clock)
        slept.append((time.monotonic() - began - clock) * 1000)


def spread(values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return ", ".join(f"{name} {at(share):.2f}" for name, share in
                     (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1)))


def overshoot():
    """200 matches at 0.1 s a move, one at a time: how far over the clock our own players go."""
    stop, slept = threading.Event(), []
    thread = threading.Thread(target=sleeper, args=(0.1, slept, stop))
    thread.start()
    out = scratch("overshoot.jsonl")
    ggp("match", *games("tic_tac_toe", "endgame", "rock_paper_scissors", "nim"), "--player=a=mcts", "--player=b=uct",
        "--games", 200, "--playclock", 0.1, "--concurrency", 1, "--openings", 1, "--out", out)
    stop.set()
    thread.join()
    moves, over, above = 0, [], []
    with open(out) as lines:
        for line in lines:
            result = json.loads(line)
            for player, account in zip(result["players"], result["time"]):
                moves += account["moves"]
                over += account.get("overshoots", [])
                above += [(ms, player, result["game"]) for ms in account.get("overshoots", []) if ms > 20]
    every = over + [0.0] * (moves - len(over))
    print(f"  {moves} moves, {len(over)} over the clock; overshoot in ms: {spread(every)}")
    print(f"  a bare sleep of 0.1 s beside it, {len(slept)} times, ms too long: {spread(slept)}")
    print(f"  above 20 ms: {sorted(above, reverse=True)[:20]}; bare sleeps above 20 ms: {sum(ms > 20 for ms in slept)}")
    every.sort()
    check("99 % of overshoots under 20 ms", every[int(0.99 * len(every))] < 20)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run((league, selfplay, kill, shards, faults, scale, overshoot))
