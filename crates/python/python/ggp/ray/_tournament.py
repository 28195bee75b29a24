"""Tournaments on a Ray cluster: the matches of `ggp match`, played by tasks.

A task gets numbers of matches and plays them for some seconds. The match with a number is the same wherever it is played,
since its players, opening and seeds follow from the arguments. The driver alone writes results. A task that is lost with its
process or its node is begun again, which the report tells.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ggp._ggp import Tournament, TournamentRun
from ggp.ray._cluster import connect

#: Seconds for which a task plays. Starting a task takes milliseconds; a task that is lost costs this much.
TASK_SECONDS = 20.0

#: Matches of the first tasks, before the length of a match is known.
_FIRST = 2

#: Tasks for each place to play: one that plays, and one that waits, so that no place is idle between two tasks.
_TASKS_A_PLACE = 2

#: The most matches of a task. It bounds the memory of its results.
_MOST_MATCHES = 20_000

#: How often a match may be lost before the tournament gives up.
_MOST_LOSSES = 5

#: Seconds between two lines of progress.
_LINE = 10.0


class TournamentReport(NamedTuple):
    """What a run of a tournament has done. `ggp stats` rates the results in its file."""

    code: int
    """The exit code of `ggp match`: 0 if all matches have results."""
    done: int
    """The number of matches that have results, those of earlier runs included."""
    total: int
    """The number of all matches."""
    played: int
    """The number of matches that this run has played."""
    retried: int
    """The number of matches that were begun again, because the process or the node that played them died."""
    losses: tuple[str, ...]
    """Why tasks were lost, one text for each lost task."""


def tournament(
    games: Sequence[str | os.PathLike[str]],
    players: Mapping[str, str],
    *,
    matches: int = 100,
    out: str | os.PathLike[str] | None = None,
    resume: bool = True,
    seed: int = 1,
    openings: int = 0,
    play_clock: float | None = None,
    start_clock: float = 0.0,
    iterations: int | None = None,
    pairing: str = "roundrobin",
    arguments: Sequence[str] = (),
    address: str | None = None,
    concurrency: int | None = None,
    cores: int | None = None,
    seconds: float = TASK_SECONDS,
    tasks: str | os.PathLike[str] | None = None,
) -> TournamentReport:
    """Plays a tournament on a Ray cluster. The matches, their ids and their results are those of `ggp match`.

    Args:
        games: The paths of the rulesheets. The driver reads them; other nodes need not have them.
        players: The players by name, such as `"mcts:iterations=100"`; `ggp help players` lists all kinds. Players outside of
            `ggp` must be reachable from each node.
        matches: The number of matches, rounded up so that every player has every seat of the last opening.
        out: The file of the results, with a line for each match.
        resume: Whether to go on with results that the file already holds.
        seed: The seed of openings, players and chance.
        openings: The number of random joint moves with which each match begins.
        play_clock: Seconds for each move. By default 1, and no limit with `iterations` if all players end by themselves.
        start_clock: Seconds before the first move.
        iterations: The iterations for each move of every search that gives none.
        pairing: `"roundrobin"`, or `"gauntlet"` for the first player against each of the others.
        arguments: Further arguments of `ggp match`, such as `["--parallel"]`.
        address: The Ray cluster; `$RAY_ADDRESS` or this machine by default.
        concurrency: The largest number of matches at once. By default, all cores of the cluster are used.
        cores: The cores that Ray reserves for a match. By default, the threads that its players use.
        seconds: Seconds for which a task plays before it hands over its results.
        tasks: A file to which a line for each task is appended: the node, the process, its time, its matches.

    Raises:
        CommandError: For arguments that cannot be obeyed, and for players that cannot take part.
        RuntimeError: If a match is lost again and again.
    """
    argv = [os.fspath(game) for game in games]
    argv += [f"--player={name}={spec}" for name, spec in players.items()]
    argv += [f"--games={matches}", f"--seed={seed}", f"--openings={openings}", f"--startclock={start_clock}"]
    argv += [f"--pairing={pairing}"]
    argv += [] if play_clock is None else [f"--playclock={play_clock}"]
    argv += [] if iterations is None else [f"--iterations={iterations}"]
    argv += [] if out is None else [f"--{'resume' if resume else 'out'}={os.fspath(out)}"]
    return play([*argv, *arguments], address, concurrency, cores, seconds, tasks, talk=False)


def play(
    argv: Sequence[str],
    address: str | None = None,
    concurrency: int | None = None,
    cores: int | None = None,
    seconds: float = TASK_SECONDS,
    tasks: str | os.PathLike[str] | None = None,
    *,
    talk: bool = True,
    connected: Callable[[], None] = lambda: None,
) -> TournamentReport:
    """Plays the tournament of the arguments `argv` of `ggp match`. With `talk`, it prints progress and tables. Calls
    `connected` before the first match.
    """
    played = Tournament(list(argv))
    run = played.open()
    driver = _Driver(played, run, list(argv), cores or played.threads, seconds, tasks, talk)
    before, _ = run.progress
    try:
        connect(address)
        connected()
        driver.play(concurrency)
    except KeyboardInterrupt:
        driver.cancel()
        if not talk:
            raise
    except BaseException:
        driver.cancel()
        raise
    done, total = run.progress
    code = played.finish(run, quiet=not talk)
    if driver.losses and talk:
        _say(f"{driver.retried} matches were begun again: {'; '.join(driver.losses)}")
    return TournamentReport(code, done, total, done - before, driver.retried, tuple(driver.losses))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class _Task(NamedTuple):
    """A task in flight."""

    numbers: list[int]
    losses: int
    """How often its matches have been lost."""


class _Driver:
    """Hands out matches, and keeps the results."""

    def __init__(
        self,
        played: Tournament,
        run: TournamentRun,
        argv: list[str],
        cores: int,
        seconds: float,
        tasks: str | os.PathLike[str] | None,
        talk: bool,
    ) -> None:
        self._tournament, self._run, self._argv = played, run, argv
        self._cores, self._seconds, self._log, self._talk = cores, seconds, tasks, talk
        self._pending: dict[Any, _Task] = {}
        #: Matches that are handed out again, with the number of their losses.
        self._again: deque[_Task] = deque()
        self._in_flight = 0
        self._time, self._matches = 0.0, 0
        self.retried = 0
        self.losses: list[str] = []
        self._warned: set[str] = set()
        self._told = time.monotonic()

    def play(self, concurrency: int | None) -> None:
        import ray
        from ray.exceptions import RayError, RayTaskError

        options = {"num_cpus": self._cores, "scheduling_strategy": "SPREAD", "max_retries": 0}
        task = ray.remote(**options)(_play)
        rules = ray.put(self._tournament.rules)
        for note in self._run.notes:
            self._warn(f"note: {note}")
        while True:
            # 1. Tasks for all places, with enough matches for their seconds; fewer towards the end, for all to end at once.
            places = self._places()
            most = _TASKS_A_PLACE * places if concurrency is None else min(concurrency, _TASKS_A_PLACE * places)
            while len(self._pending) < most and (next_task := self._next(most)):
                # A list, so that only a process that does not know the tournament fetches the rules.
                reference = task.remote(
                    self._tournament.fingerprint, self._argv, [rules], next_task.numbers, self._seconds
                )
                self._pending[reference] = next_task
                self._in_flight += len(next_task.numbers)
            if not self._pending:
                return
            # 2. The results of one task.
            ready, _ = ray.wait(list(self._pending), num_returns=1, timeout=_LINE)
            for reference in ready:
                sent = self._pending.pop(reference)
                self._in_flight -= len(sent.numbers)
                try:
                    lines, warnings, where = ray.get(reference)
                except RayTaskError as error:
                    raise (error.cause or error) from None
                except RayError as error:
                    self._lost(sent, error)
                else:
                    self._keep(sent, lines, warnings, where)
            self._progress()
            if self._run.is_decided:
                self.cancel()
                return

    def _places(self) -> int:
        """The number of matches that the cluster can play at once."""
        import ray

        alive = (node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])
        return max(1, sum(int(cores) // self._cores for cores in alive))

    def _next(self, tasks: int) -> _Task | None:
        """The next task, one of `tasks` at once."""
        done, total = self._run.progress
        if self._again:
            return self._again.popleft()
        count = _FIRST
        if self._matches:
            count = round(self._seconds * self._matches / max(self._time, 1e-6)) + 1
            left = total - done - self._in_flight
            count = max(1, min(count, _MOST_MATCHES, left // tasks + 1))
        numbers = self._run.take(count)
        return _Task(numbers, 0) if numbers else None

    def _keep(self, sent: _Task, lines: list[Any], warnings: list[str], where: dict[str, Any]) -> None:
        self._run.keep([line for _, line in lines])
        known = {number for number, _ in lines}
        left = [number for number in sent.numbers if number not in known]
        if left:
            self._again.append(_Task(left, sent.losses))
        self._time += where["ended"] - where["begun"]
        self._matches += len(lines)
        for warning in warnings:
            self._warn(f"warning: {warning}")
        if where["cores"] < where["counted"] and self._tournament.is_timed:
            self._warn(
                f"warning: {where['host']} has {where['cores']} cores, but Ray counts {where['counted']}: players will miss "
                "their clocks"
            )
        self._write({**where, "cpus": self._cores, "matches": len(lines), "losses": sent.losses})

    def _lost(self, sent: _Task, error: Exception) -> None:
        """Hands the matches of a lost task out again, in two halves, so that one match that kills processes is found."""
        why = f"{type(error).__name__} ({len(sent.numbers)} matches)"
        self.losses.append(why)
        self.retried += len(sent.numbers)
        self._write({"lost": sent.numbers, "why": type(error).__name__})
        if sent.losses + 1 >= _MOST_LOSSES:
            raise RuntimeError(
                f"the matches {sent.numbers[:5]} were lost {_MOST_LOSSES} times, at last by {type(error).__name__}: {error}"
            )
        middle = (len(sent.numbers) + 1) // 2
        for half in (sent.numbers[:middle], sent.numbers[middle:]):
            if half:
                self._again.append(_Task(half, sent.losses + 1))

    def cancel(self) -> None:
        import ray

        for reference in self._pending:
            ray.cancel(reference, force=False)
        self._pending.clear()

    def _write(self, line: dict[str, Any]) -> None:
        if self._log is not None:
            with open(self._log, "a") as file:
                file.write(json.dumps(line) + "\n")

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            _say(text)

    def _progress(self) -> None:
        if self._talk and time.monotonic() - self._told > _LINE:
            self._told = time.monotonic()
            done, total = self._run.progress
            _say(f"{done}/{total} matches: {self._run.standing}")


#: The latest tournaments of this process, by fingerprint and arguments. Their games are built once.
_known: dict[tuple[str, ...], Tournament] = {}

#: How many of them are kept.
_MOST_KNOWN = 2


def _play(
    fingerprint: str, argv: list[str], rules: list[Any], numbers: list[int], seconds: float
) -> tuple[list[Any], list[str], dict[str, Any]]:
    """Plays matches for some seconds. Runs in a process of Ray."""
    import ray

    begun, cpu = time.time(), time.process_time()
    key = (fingerprint, *argv)
    if key not in _known:
        while len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = Tournament(argv, ray.get(rules[0]))
    lines, warnings = _known[key].play(numbers, seconds)
    context = ray.get_runtime_context()
    node = context.get_node_id()
    counted = next(int(one["Resources"].get("CPU", 0)) for one in ray.nodes() if one["NodeID"] == node)
    where = {"node": node, "host": os.uname().nodename, "pid": os.getpid(), "begun": begun, "ended": time.time()}
    where |= {"cpu": time.process_time() - cpu, "cores": len(os.sched_getaffinity(0)), "counted": counted}
    return lines, warnings, where
