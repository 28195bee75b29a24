#!/usr/bin/env python3
"""Measures `ggp.ray` on this machine: as many tasks as cores, a long tournament, a player on two nodes.

    cluster.py throughput   matches per second of two workers against `ggp match --concurrency 2`; 5 minutes
    cluster.py large        100,000 matches, interrupted and killed on the way: memory of the driver; 5 minutes
    cluster.py player       a player on two nodes against one on one node, with the same clock; 30 minutes
    cluster.py merge        several trees of N iterations each against one of N; 40 minutes

It needs two cores of its own. Workers run without niceness, since `ggp match` does so too.

`player` kills a node in every tenth match. With `--out FILE` it writes each match to the file, and goes on with those that
the file holds; `--minutes M` ends it earlier. A match takes about six seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["RAY_worker_niceness"] = "0"
os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")
ROOT = pathlib.Path(__file__).resolve().parents[3]
GAMES = pathlib.Path(os.environ.get("GGP_GAMES", ROOT / "games"))
GGP = [sys.executable, "-m", "ggp"]
ON_RAY = [sys.executable, "-m", "ggp.ray", "match"]


def cpu(root):
    """The CPU seconds of a process and all processes below it, ended ones included."""
    parents, seconds = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if entry.name.isdigit():
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(words[1])
                seconds[int(entry.name)] = sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    below, found = {root}, 0.0
    while below:
        found += sum(seconds.get(one, 0.0) for one in below)
        below = {one for one, parent in parents.items() if parent in below}
    return found


def throughput(arguments):
    """Matches per second, alternately. On a machine with other work, the figures of CPU time tell more."""
    tournament = [str(GAMES / "connect_four.kif"), "--player=a=mcts", "--player=b=uct", "--iterations=300"]
    tournament += ["--startclock=600", f"--games={arguments.matches}"]
    rates, costs = {"alone": [], "ray": []}, {"alone": [], "ray": []}
    with tempfile.TemporaryDirectory() as folder, local(2) as address:
        for number in range(arguments.rounds):
            for name in rates:
                out, log = pathlib.Path(folder) / f"{name}{number}.jsonl", pathlib.Path(folder) / f"{name}{number}.tasks"
                command = [*GGP, "match", "--concurrency=2"] if name == "alone" else [*ON_RAY, f"--tasks={log}"]
                idle, began, before = cpu(os.getpid()), time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(
                    [*command, *tournament, f"--out={out}"],
                    check=True,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "RAY_ADDRESS": address},
                )
                seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
                cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                more = ""
                if name == "ray":
                    # Without the start of the driver and of the workers, which a long tournament does not feel.
                    tasks = [json.loads(line) for line in log.read_text().splitlines()]
                    seconds = max(one["ended"] for one in tasks) - min(one["begun"] for one in tasks)
                    # The workers have ended with the driver, and are not among the processes any more.
                    cost += sum(one["cpu"] for one in tasks) + max(0.0, cpu(os.getpid()) - idle - cost)
                    busy = sum(one["ended"] - one["begun"] for one in tasks) / (2 * seconds)
                    longest = max(one["ended"] - one["begun"] for one in tasks)
                    more = f"; {len(tasks)} tasks, the longest {longest:.1f} s; the two workers are busy for {busy:.3f} of it"
                rates[name].append(arguments.matches / seconds)
                costs[name].append(1000 * cost / arguments.matches)
                print(f"{name}: {rates[name][-1]:.2f} matches per second, {costs[name][-1]:.1f} CPU ms each{more}", flush=True)
    for what, one in (("matches per second", rates), ("CPU ms for a match", costs)):
        middle = {name: round(statistics.median(values), 2) for name, values in one.items()}
        print(f"median {what}: {middle}; ratio {middle['ray'] / middle['alone']:.3f}")


@contextlib.contextmanager
def local(cores):
    """A cluster of this machine with `cores` cores, in processes of this one."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": cores, "object_store_memory": 200 << 20, "include_dashboard": False},
    )
    try:
        yield cluster.address
    finally:
        cluster.shutdown()


def resident(process):
    """The resident memory of a process in MiB."""
    with open(f"/proc/{process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def large(arguments):
    """Runs the tournament three times: interrupted, killed, to its end."""
    with tempfile.TemporaryDirectory() as folder, local(2) as address:
        out = pathlib.Path(folder) / "out.jsonl"
        command = [*ON_RAY, str(GAMES / "tic_tac_toe.kif"), "--player=a=mcts", "--player=b=random", "--iterations=1"]
        command += [f"--games={arguments.matches}", "--startclock=600", f"--resume={out}", "--task-seconds=5"]

        def lines():
            with contextlib.suppress(FileNotFoundError), open(out, "rb") as file:
                return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
            return 0

        for end, send in ((0.3, signal.SIGINT), (0.6, signal.SIGKILL), (2, None)):
            environment = {**os.environ, "RAY_ADDRESS": address}
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
            seen, began = [], time.monotonic()
            while process.poll() is None:
                time.sleep(1)
                with contextlib.suppress(FileNotFoundError, ProcessLookupError, IndexError):
                    seen.append((lines(), resident(process)))
                if send is not None and seen and seen[-1][0] >= end * arguments.matches:
                    process.send_signal(send)
                    process.wait()
            playing = [one for one in seen if one[0] > seen[0][0]] or seen
            print(
                f"exit {process.returncode} after {time.monotonic() - began:.0f} s with {lines()} results; memory of the driver "
                f"{playing[0][1]:.0f} MiB at {playing[0][0]} results, {playing[-1][1]:.0f} MiB at {playing[-1][0]}, "
                f"at most {max(one[1] for one in seen):.0f} MiB",
                flush=True,
            )
        ids = {json.loads(line)["id"] for line in open(out)}
        print(f"{lines()} results, {len(ids)} different matches")
        assert lines() == len(ids) == arguments.matches


#: The seconds of a clock that `ggp.serve` keeps for the way of an answer.
MARGIN = 0.2

#: The published rulesheets.
RULES = pathlib.Path(os.environ.get("GGP_CORPUS", ROOT / "../shared/corpus")) / "rules"

#: Of the seventeen games of the ruler's two suites (tests/measure/suite.rs) the six in which one node gains most from twice the
#: time of `player`'s clock. In a game that one node plays as well with half of the time, no cluster gains.
SUITE = ["knightazons", "breakthroughSmall", "amazons_8x8", "gomoku_15x15", "checkersTorus.v1", "ttcc4_2player"]

#: The one-node player lives on the first node. The second one is killed, at a move from 2 to 11 of every tenth match.
KILL_EVERY, KILL_FROM, KILL_TO = 10, 2, 11


@contextlib.contextmanager
def pinned(core):
    """Processes that begin here have only the core `core`."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Nodes:
    """A cluster of two nodes with a core each. A node counts as two cores, for the trees of both players, of which one
    player thinks at a time.
    """

    def __init__(self):
        import ray
        from ray.cluster_utils import Cluster

        self.cores = sorted(os.sched_getaffinity(0))[:2]
        assert len(self.cores) == 2, "two cores are needed"
        quick = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 6}
        head = {"num_cpus": 0, "object_store_memory": 80 << 20, "include_dashboard": False, "_system_config": quick}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = []
        for _ in self.cores:
            self.add()
        ray.init(address=self.cluster.address, log_to_driver=False)

    def add(self):
        # The trees of the player on two nodes need a "two" each, so each node has one of them.
        resources = {"two": 1} if self.nodes else {"one": 1, "two": 1}
        with pinned(self.cores[len(self.nodes)]):
            self.nodes.append(self.cluster.add_node(num_cpus=2, resources=resources, object_store_memory=80 << 20))

    def replace_last(self):
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)
        self.add()

    def close(self):
        import ray

        ray.shutdown()
        self.cluster.shutdown()


def player(arguments):
    """Matches of a player on two nodes of one core against one on one node, both by `ClusterPlayer`. Pairs of matches have
    swapped seats.
    """
    import ggp

    done = []
    if arguments.out and os.path.exists(arguments.out):
        done = [json.loads(line) for line in open(arguments.out)]
        assert all(one["clock"] == arguments.clock for one in done), "the file has matches with another clock"
    began, nodes = time.monotonic(), Nodes()
    try:
        for number in range(len(done), arguments.matches):
            if arguments.minutes and time.monotonic() - began > 60 * arguments.minutes:
                break
            game = ggp.load(RULES / f"{SUITE[number // 2 % len(SUITE)]}.kif")
            done.append({"match": number, "clock": arguments.clock, **one_match(nodes, game, number, arguments)})
            if arguments.out:
                with open(arguments.out, "a") as file:
                    file.write(json.dumps(done[-1]) + "\n")
            print(json.dumps(done[-1]), flush=True)
            if number % 10 == 9:
                print(standing(done), flush=True)
    finally:
        nodes.close()
    print(standing(done))


def one_match(nodes, game, number, arguments):
    """Plays the match `number`. The player on two nodes has the role `number % 2`."""
    import ggp.ray

    chance, seat = random.Random(f"{arguments.seed} {number}"), number % 2
    kill = chance.randrange(KILL_FROM, KILL_TO + 1) if number % KILL_EVERY == KILL_EVERY // 2 else None
    players = []
    for role in (0, 1):
        trees, place = (2, "two") if role == seat else (1, "one")
        seed = chance.getrandbits(32)
        players.append(ggp.ray.ClusterPlayer("mcts", trees=trees, seed=seed, resources={place: 1}))
    begun = time.monotonic()
    for role, one in enumerate(players):
        one.start(game, game.roles[role], 30)
    prepared = time.monotonic() - begun
    state, joint, own, late, slowest = game.initial_state(), None, 0, 0, 0.0
    while not state.is_terminal:
        moves = []
        for role, one in enumerate(players):
            asked = time.monotonic()
            move = one.choose(state, joint, arguments.clock - MARGIN)
            took = time.monotonic() - asked
            late, slowest = late + (took > arguments.clock), max(slowest, took)
            assert move in state.legal(game.roles[role])
            moves.append(move)
        own += len(state.legal(game.roles[seat])) > 1
        if own == kill:
            nodes.replace_last()
            kill = None
        joint = moves
        state = state.next(joint)
    goals = [goal or 0 for goal in state.goals]
    score = 0.5 + 0.5 * ((goals[seat] > goals[1 - seat]) - (goals[seat] < goals[1 - seat]))
    found = {
        "game": pathlib.Path(game.name).stem,
        "score": score,
        "descents": [round(statistics.mean(one.descents)) for one in (players[1 - seat], players[seat])],
        "trees": round(statistics.mean(players[seat].counted), 2),
        "moves": len(players[seat].counted),
        "late": late,
        "slowest": round(slowest, 3),
        "deaths": players[seat].deaths,
        "other_deaths": players[1 - seat].deaths,
        "seconds": [round(prepared, 1), round(time.monotonic() - begun, 1)],
    }
    for one in players:
        one.stop()
    return found


def standing(done):
    """The score over pairs of matches with swapped seats, its standard error, and the difference in Elo."""
    pairs = [(one["score"] + two["score"]) / 2 for one, two in zip(done[::2], done[1::2])]
    if len(pairs) < 2:
        return "too few matches"
    mean, error = statistics.mean(pairs), statistics.stdev(pairs) / len(pairs) ** 0.5

    def elo(score):
        score = min(max(score, 0.001), 0.999)
        return round(400 * math.log10(score / (1 - score)))

    of_game = {game: [one for one in done if one["game"] == game] for game in SUITE}
    of_game = {game: found for game, found in of_game.items() if found}
    more = [statistics.median(one["descents"][1] / one["descents"][0] for one in found) for found in of_game.values()]
    by_game = {game: round(statistics.mean(one["score"] for one in found), 2) for game, found in of_game.items()}
    return (
        f"{2 * len(pairs)} matches: score {mean:.3f} ± {error:.3f}, Elo {elo(mean):+d} "
        f"({elo(mean - 1.96 * error):+d} to {elo(mean + 1.96 * error):+d}); {by_game}; "
        f"{statistics.median(more):.2f} times the descents; {sum(one['late'] for one in done)} late answers, "
        f"{sum(one['deaths'] for one in done)} deaths of trees"
    )


#: The joint moves that are drawn at the beginning of each pair of `merge`.
OPENING = 2


def merge(arguments):
    """Matches of several trees, or of one with as many times the iterations, against one tree: no clock, no cluster."""
    import ggp
    from ggp.ray._serve import WHOLE_PART, dealt, found_by, is_duel, merged

    def choose(trees, role, legal, iterations):
        """The move of `trees`, as `ClusterPlayer` finds it, with `iterations` for each tree."""
        if len(trees) == 1:
            trees[0].run(iterations=iterations)
            return trees[0].best_move(role)
        whole = round(WHOLE_PART * iterations)
        for tree in trees:
            tree.run(iterations=whole)
        ranked = merged([found_by(tree, role, whole) for tree in trees], True)
        for tree, moves in zip(trees, dealt(ranked, legal, len(trees))):
            tree.run(iterations=iterations - whole, role=role, moves=moves)
        return merged([found_by(tree, role, iterations) for tree in trees], True)[0].move

    done = []
    for number in range(arguments.matches):
        game = ggp.load(RULES / f"{SUITE[number // 2 % len(SUITE)]}.kif")
        assert is_duel(game)
        seat, chance = number % 2, random.Random(f"{arguments.seed} {number}")
        opening = random.Random(f"{arguments.seed} {number // 2}")
        state = game.initial_state()
        for _ in range(OPENING):
            state = state.next([opening.choice(sorted(state.legal(role))) for role in game.roles])
        count, times = (1, arguments.trees) if arguments.alone else (arguments.trees, 1)
        trees = [
            [game.search(state, f"mcts:seed={chance.getrandbits(32)}") for _ in range(count if role == seat else 1)]
            for role in (0, 1)
        ]
        while not state.is_terminal:
            moves = []
            for number_of_role, (role, own) in enumerate(zip(game.roles, trees)):
                legal = state.legal(role)
                iterations = (times if number_of_role == seat else 1) * arguments.iterations
                moves.append(choose(own, role, legal, iterations) if len(legal) > 1 else legal[0])
            state = state.next(moves)
            for tree in [*trees[0], *trees[1]]:
                tree.advance(moves)
        goals = [goal or 0 for goal in state.goals]
        score = 0.5 + 0.5 * ((goals[seat] > goals[1 - seat]) - (goals[seat] < goals[1 - seat]))
        done.append({"game": pathlib.Path(game.name).stem, "score": score})
        if number % 12 == 11:
            pairs = [(one["score"] + two["score"]) / 2 for one, two in zip(done[::2], done[1::2])]
            error = statistics.stdev(pairs) / len(pairs) ** 0.5
            by_game = {game: [one["score"] for one in done if one["game"] == game] for game in SUITE}
            by_game = {game: round(statistics.mean(scores), 2) for game, scores in by_game.items()}
            print(f"{len(done)} matches: {statistics.mean(pairs):.3f} ± {error:.3f}; {by_game}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, matches in (
        ("throughput", throughput, 1200),
        ("large", large, 100_000),
        ("player", player, 300),
        ("merge", merge, 300),
    ):
        command = commands.add_parser(name)
        command.add_argument("--matches", type=int, default=matches)
        command.set_defaults(run=run)
        if name == "throughput":
            command.add_argument("--rounds", type=int, default=2)
        if name == "player":
            command.add_argument("--clock", type=float, default=MARGIN + 0.1, help="seconds, the margin of 0.2 included")
            command.add_argument("--out", metavar="FILE.jsonl", help="keep matches in FILE, and go on with those that it has")
            command.add_argument("--minutes", type=float, help="begin no match after so many minutes")
        if name == "merge":
            command.add_argument("--iterations", type=int, default=1000)
            command.add_argument("--trees", type=int, default=2)
            command.add_argument("--alone", action="store_true", help="one tree of as many times the iterations")
        if name in ("player", "merge"):
            command.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
