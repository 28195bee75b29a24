"""Tournaments, self-play and players on a Ray cluster of three nodes in one process tree, of which nodes and processes die."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import FOLDER, game

import ggp

ray = pytest.importorskip("ray")
pytest.importorskip("ray.cluster_utils")

import ggp.ray  # noqa: E402
from ggp.ray._serve import Found, dealt, merged  # noqa: E402

# Ray's processes do not find this module by its name.
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])

NIM = FOLDER / "nim.kif"
PLAYERS = {"a": "mcts", "b": "uct"}

#: Without clocks that a busy machine could miss, results depend on nothing but the arguments.
UNTIMED = {"iterations": 200, "start_clock": 600, "openings": 1}

#: The cluster notices dead nodes sooner than by default.
QUICK = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 6}


@pytest.fixture(scope="module")
def cluster():
    """A head and two nodes, of one core each. The nodes are processes of this one, and end with it."""
    from ray.cluster_utils import Cluster

    # Ray's workers are as nice as 15 by default: on a busy machine they would hardly run.
    os.environ["RAY_worker_niceness"] = "0"
    node = {"num_cpus": 1, "object_store_memory": 80 << 20}
    made = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False, "_system_config": QUICK})
    try:
        made.doomed = [made.add_node(**node) for _ in range(2)]
        ray.init(address=made.address, log_to_driver=False)
        # Each node has started a worker before a tournament begins, so that all of them take part.
        rest = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(lambda: time.sleep(1))
        ray.get([rest.remote() for _ in range(3)])
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def wait_for_nodes(count):
    """Waits until the cluster has noticed that only `count` nodes are left, so that nothing is placed on a dead one."""
    end = time.monotonic() + 30
    while sum(node["Alive"] for node in ray.nodes()) != count:
        assert time.monotonic() < end, "a dead node is not noticed"
        time.sleep(0.05)


def records(path):
    """The results of a file by match id, without the times."""
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        result = json.loads(line)
        assert result["id"] not in found, "a match has two results"
        found[result["id"]] = {key: one for key, one in result.items() if key not in ("time", "ended")}
    return found


def tasks(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def most_at_once(ran):
    """The largest number of cores that tasks have had at once on each node."""
    most = {}
    for node in {one["node"] for one in ran}:
        events = []
        for one in ran:
            if one["node"] == node:
                events += [(one["begun"], one["cpus"]), (one["ended"], -one["cpus"])]
        running = 0
        for _, change in sorted(events):
            running += change
            most[node] = max(most.get(node, 0), running)
    return most


def test_timed_matches_have_cores_of_their_own(cluster, tmp_path):
    report = ggp.ray.tournament(
        [FOLDER / "connect_four.kif"], {"a": "mcts", "b": "random"}, matches=12, play_clock=0.1,
        out=tmp_path / "out.jsonl", seconds=0.5, tasks=tmp_path / "tasks.jsonl",
    )  # fmt: skip
    assert (report.code, report.done, report.retried) == (0, 12, 0)
    ran = tasks(tmp_path / "tasks.jsonl")
    assert sum(one["matches"] for one in ran) == 12
    most = most_at_once(ran)
    assert len(most) > 1 and set(most.values()) == {1}


def test_a_tournament_survives_a_node(cluster, tmp_path):
    out, log = tmp_path / "out.jsonl", tmp_path / "tasks.jsonl"
    matches = 400
    command = ["match", str(NIM), "--player=a=mcts", "--player=b=uct", f"--games={matches}", "--iterations=200"]
    command += ["--startclock=600", "--openings=1", f"--out={tmp_path / 'alone.jsonl'}"]
    subprocess.run([sys.executable, "-m", "ggp", *command], check=True, capture_output=True)

    ended = threading.Event()

    def nodes(ran):
        return {one["node"] for one in ran if "node" in one}

    def kill():
        # Where other programs take the processors, a node may begin late.
        ran = []
        while (len(nodes(ran)) < 3 or sum(one.get("matches", 0) for one in ran) < 20) and not ended.wait(0.05):
            ran = tasks(log) if log.exists() else []
        cluster.remove_node(cluster.doomed.pop(), allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        report = ggp.ray.tournament([NIM], PLAYERS, matches=matches, out=out, seconds=1, tasks=log, **UNTIMED)
    finally:
        ended.set()
        killer.join()
    wait_for_nodes(2)
    assert (report.code, report.done, report.total, report.played) == (0, matches, matches, matches)
    assert records(out) == records(tmp_path / "alone.jsonl")
    assert len(nodes(tasks(log))) == 3
    assert report.retried == sum(len(one.get("lost", ())) for one in tasks(log))
    # A longer run goes on with the file.
    longer = ggp.ray.tournament([NIM], PLAYERS, matches=matches + 20, out=out, seconds=1, **UNTIMED)
    assert (longer.played, longer.done) == (20, matches + 20)


def test_errors_of_arguments_and_players_are_told(cluster, tmp_path):
    with pytest.raises(ggp.CommandError, match="NAME=SPEC|no player") as error:
        ggp.ray.tournament([NIM], {"a": "chess", "b": "random"})
    assert error.value.code == 2
    with pytest.raises(ggp.CommandError, match="gone") as error:
        ggp.ray.tournament([NIM], {"gone": "cmd:/no/such/program", "b": "random"}, matches=2)
    assert error.value.code == 3


def die_once(marker):
    """Kills this process the first time."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)


class Sum:
    """A learner whose weights tell what it has learned."""

    def __init__(self, folder):
        self.folder, self.learned = folder, []

    def learn(self, chunk):
        self.learned.append(int(chunk["seed"][0]))
        if len(self.learned) == 7:
            die_once(self.folder / "learner")

    def weights(self):
        return len(self.learned)

    def save(self):
        return list(self.learned)

    def load(self, saved, chunks):
        self.learned = list(saved or ())
        assert all(int(chunk["seed"][0]) in self.learned for chunk in chunks)


def test_self_play_survives_a_worker_and_a_learner(cluster, tmp_path):
    def play(weights, seed):
        if weights >= 3:
            die_once(tmp_path / "worker")
        return {"seed": np.full(1000, seed), "weights": np.full(1000, weights)}

    versions = []
    options = {"folder": tmp_path / "run", "workers": 1, "chunks_per_version": 3, "replay": 4}
    progress = ggp.ray.selfplay(
        play, lambda: Sum(tmp_path), chunks=12, on_version=lambda one, weights: versions.append((one.version, weights)),
        **options,
    )  # fmt: skip
    assert (progress.version, progress.chunks) == (4, 12)
    assert sorted(progress.deaths) == ["learner", "worker 0"]
    assert versions == [(version, 3 * version) for version in range(1, 5)]
    # Another driver goes on, in this process, and dies between two versions. The next one goes on without loss.
    left = [1, 2]

    def dies(weights, seed):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return play(weights, seed)

    with pytest.raises(KeyboardInterrupt):
        ggp.ray.selfplay(dies, lambda: Sum(tmp_path), chunks=20, **{**options, "workers": 0})
    again = ggp.ray.selfplay(play, lambda: Sum(tmp_path), chunks=15, **{**options, "workers": 0})
    assert (again.version, again.chunks) == (6, 15)
    log = [json.loads(line) for line in (tmp_path / "run" / "chunks.jsonl").read_text().splitlines()]
    assert sorted(one["chunk"] for one in log) == list(range(15)), "a chunk is lost or doubled"
    of_data = [one["version"] for one in log]
    assert of_data == sorted(of_data) and of_data[-1] == 5


def test_a_game_is_learned_by_the_cluster(cluster, tmp_path, monkeypatch):
    for name, value in {"_LEAST_MATCHES": 6, "_TRIAL": 8}.items():
        monkeypatch.setattr(f"ggp.ray._learn.{name}", value)
    tic_tac_toe, file, told = game("tic_tac_toe"), tmp_path / "file.knowledge", []
    options = {"matches": 16, "iterations": 200, "tell": told.append}

    def interrupt(generation):
        told.append(generation)
        raise KeyboardInterrupt

    # 1. A run is interrupted after its first generation. The file and the folder have it.
    with pytest.raises(KeyboardInterrupt):
        ggp.ray.learn(tic_tac_toe, file, **{**options, "tell": interrupt})
    assert [one.matches for one in told] == [6] and (tmp_path / "file.knowledge.run").exists()
    # 2. The same call goes on, to the end.
    report = ggp.ray.learn(tic_tac_toe, file, **options)
    assert report.generations == told and told[-1].matches == 16 and report.deaths == ()
    assert [one.matches for one in told] == sorted(one.matches for one in told)
    assert len(report.shares) in ((8,) if told[-1].passes else (0,))
    assert not (tmp_path / "file.knowledge.run").exists()
    # 3. `ggp` reads the file, and a player uses it. Learning goes on from it, here in one process.
    command = [sys.executable, "-m", "ggp", "analyze", str(FOLDER / "tic_tac_toe.kif"), "--learnt", str(file), "--json"]
    seen = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert [one["matches"] for one in seen["generations"]] == [one.matches for one in told]
    assert seen["used"] == report.is_used
    ggp.match(tic_tac_toe, [f"mcts:knowledge={file},iterations=50", "random"], games=2)
    more = ggp.ray.learn(tic_tac_toe, file, **{**options, "matches": 6}, workers=0)
    assert more.generations[:-1] == report.generations and more.generations[-1].matches == 22


def test_a_game_that_cannot_be_learned_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be learnt"):
        ggp.ray.learn(game("maze"), tmp_path / "file")
    with pytest.raises(ValueError, match="hidden|percepts|information"):
        ggp.ray.learn(game("phantom_tic_tac_toe"), tmp_path / "file")
    (tmp_path / "file").write_text("other")
    with pytest.raises(ValueError, match="holds no knowledge"):
        ggp.ray.learn(game("tic_tac_toe"), tmp_path / "file")


def test_moves_are_dealt_from_the_best_on():
    def candidate(move, visits, score, proven=None):
        return ggp.Candidate(move, visits, score, proven)

    def found(*candidates):
        return Found(candidates[0].move, list(candidates), 0)

    one = found(candidate("a", 100, 60.0), candidate("b", 10, 90.0), candidate("c", 75, 70.0))
    two = found(candidate("a", 100, 50.0), candidate("c", 75, 70.0), candidate("d", 4, 100.0, 100), candidate("e", 80, 0.0, 0))
    ranked = merged([one, two], True)
    assert [each.move for each in ranked] == ["d", "c", "a", "b", "e"]
    assert (ranked[2].visits, ranked[2].score) == (200, 55.0)
    assert [each.move for each in merged([one, two], False)] == ["d", "a", "c", "b", "e"], "the most visited first"
    assert dealt(ranked, list("abcdefg"), 2) == [["d", "b", "e"], ["c", "a", "f", "g"]]
    assert dealt(ranked[:2], list("cdg"), 8) == [[move] for move in "dcgdcgdc"]


def test_a_player_loses_the_share_of_a_dead_tree(cluster):
    nim = game("nim")
    player = ggp.ray.ClusterPlayer("mcts", trees=2, seed=1)
    player.start(nim, nim.roles[0], 10)
    try:
        state, joint = nim.initial_state(), None
        while not state.is_terminal:
            if len(player.counted) == 1:
                ray.kill(player._trees[0])
            began = time.monotonic()
            move = player.choose(state, joint, 1.5)
            assert time.monotonic() - began < 1.5
            assert move in state.legal(nim.roles[0])
            joint = [move, state.legal(nim.roles[1])[0]]
            state = state.next(joint)
        assert player.counted[0] == 2 and 1 in player.counted and player.deaths == 1
    finally:
        player.stop()
