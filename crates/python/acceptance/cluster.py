#!/usr/bin/env python3
"""Measures `ggp.ray` on this machine: as many tasks as cores, a long tournament, a player on two nodes.

    cluster.py throughput   matches per second of two workers against `ggp match --concurrency 2`; 5 minutes
    cluster.py large        100,000 matches, interrupted and killed on the way: memory of the driver; 5 minutes
    cluster.py player       a player on two nodes against one on one node, with the same clock; an hour
    cluster.py merge        the sum of two trees against one, with the same iterations of each tree; 20 minutes
    cluster.py nodes        the same, with a node killed in every tenth match: faults

It needs two cores of its own. Workers run without niceness, since `ggp match` does so too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
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

SUITE = ["connect_four", "breakthrough_holes", "english_draughts", "hex", "pawn_whopping", "skirmish"]


def player(arguments):
    """Matches of a player on two nodes of one core against one on one node, both by `ClusterPlayer`."""
    import ray
    from ray.cluster_utils import Cluster

    import ggp
    import ggp.ray

    # One core a node. It counts as two, for the trees of both players, of which one player thinks at a time.
    node = {"num_cpus": 2, "object_store_memory": 80 << 20}
    quick = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 4}
    head = {**node, "num_cpus": 0, "include_dashboard": False, "_system_config": quick}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    nodes = [cluster.add_node(**node) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    chance, scores, late, deaths = random.Random(arguments.seed), [], 0, 0
    for number in range(arguments.matches):
        game = ggp.load(GAMES / f"{SUITE[number // 2 % len(SUITE)]}.kif")
        seat, kills = number % 2, arguments.kill and number % 10 == 5
        players = [ggp.ray.ClusterPlayer("mcts", trees=2 if role == seat else 1, seed=chance.getrandbits(32)) for role in (0, 1)]
        begun = [False, False]
        state, joint, turn = game.initial_state(), None, 0
        while not state.is_terminal:
            moves = []
            for role, one in enumerate(players):
                legal = state.legal(game.roles[role])
                if not begun[role]:
                    one.start(game, game.roles[role], 30)
                    begun[role] = True
                began = time.monotonic()
                move = one.choose(state, joint, arguments.clock - MARGIN)
                late += time.monotonic() - began > arguments.clock
                assert move in legal
                moves.append(move)
            if kills and turn == 4:
                cluster.remove_node(nodes.pop(), allow_graceful=False)
                nodes.append(cluster.add_node(**node))
            joint, turn = moves, turn + 1
            state = state.next(joint)
        goals = [goal or 0 for goal in state.goals]
        scores.append(0.5 + 0.5 * ((goals[seat] > goals[1 - seat]) - (goals[seat] < goals[1 - seat])))
        deaths += sum(one.deaths for one in players)
        for one in players:
            one.stop()
        tell(scores, game, f"; {late} late answers, {deaths} deaths of trees")
    ray.shutdown()
    cluster.shutdown()


def merge(arguments):
    """Matches of the sum of two trees against one tree, with the same iterations of each tree: no clock, no cluster."""
    import ggp
    from ggp.ray._serve import _Found, merged

    chance, scores = random.Random(arguments.seed), []
    for number in range(arguments.matches):
        game = ggp.load(GAMES / f"{SUITE[number // 2 % len(SUITE)]}.kif")
        seat = number % 2
        trees = [
            [game.search(player=f"mcts:seed={chance.getrandbits(32)}") for _ in range(2 if role == seat else 1)]
            for role in (0, 1)
        ]
        state = game.initial_state()
        while not state.is_terminal:
            moves = []
            for role, own in zip(game.roles, trees):
                legal = state.legal(role)
                if len(legal) > 1:
                    for tree in own:
                        tree.run(iterations=arguments.iterations)
                    found = [_Found(tree.best_move(role), tree.report(role), 0) for tree in own]
                    moves.append(found[0].best if len(found) == 1 else merged(found)[0].move)
                else:
                    moves.append(legal[0])
            state = state.next(moves)
            for tree in [*trees[0], *trees[1]]:
                tree.advance(moves)
        goals = [goal or 0 for goal in state.goals]
        scores.append(0.5 + 0.5 * ((goals[seat] > goals[1 - seat]) - (goals[seat] < goals[1 - seat])))
        tell(scores, game)


def tell(scores, game, more=""):
    mean = statistics.mean(scores)
    error = statistics.pstdev(scores) / len(scores) ** 0.5
    print(f"{len(scores)} {game.name}: {scores[-1]}; mean {mean:.3f} ± {error:.3f}{more}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, matches in (
        ("throughput", throughput, 400),
        ("large", large, 100_000),
        ("player", player, 300),
        ("merge", merge, 300),
        ("nodes", player, 20),
    ):
        command = commands.add_parser(name)
        command.add_argument("--matches", type=int, default=matches)
        command.add_argument("--rounds", type=int, default=3)
        command.add_argument("--clock", type=float, default=1.0)
        command.add_argument("--iterations", type=int, default=1000)
        command.add_argument("--seed", type=int, default=1)
        command.set_defaults(run=run, kill=name == "nodes")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
