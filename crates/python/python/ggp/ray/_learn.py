"""Learning a game by self-play on a Ray cluster: what `ggp learn` does on one machine.

Workers play matches of short searches with the policy of the latest lesson, and hand over what the searches have found out.
One learner trains the policy with all matches after each generation. Then workers play searches with the policy against
searches without it, which decides whether players use it. Both are runs of `selfplay`, so deaths cost as little as there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import shutil
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ggp._ggp import Game, PolicyLearner
from ggp._results import Generation
from ggp.ray._selfplay import Chunk, Progress, checkpoint, selfplay

#: Minutes of learning, if neither time nor matches are limited.
_MINUTES = 10.0

#: The part of the time that goes to self-play. The matches of the policy against the search without it have the rest.
_PLAYING = 0.75

#: The largest number of these matches.
_TRIAL = 40

#: The least number of matches of a generation. Each generation also ends at so many times the matches of the one before, as
#: in `ggp learn`, since it trains with all of them.
_LEAST_MATCHES, _GROWTH = 16, 2**0.5

#: The matches that a learner gets again which goes on from a checkpoint: some hundred megabytes at most.
_REPLAY = 512


class LearningReport(NamedTuple):
    """What `learn` has learned."""

    generations: list[Generation]
    """The tests of all generations, those of earlier runs included."""
    is_used: bool
    """Whether players use the policy: it explains more than the history of moves, and has not lost the trial."""
    shares: list[float]
    """The shares of the policy in the matches of the trial: half of 1 plus its goal minus the mean goal of the others."""
    deaths: tuple[str, ...]
    """The workers and learners that have died."""


class _Worker:
    """A function for `selfplay` with a learner that has the latest lesson. Only the game goes to other processes."""

    def __init__(self, game: Game, iterations: int | None) -> None:
        self._game, self._iterations = game, iterations
        self._lesson: bytes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._game, self._iterations)

    def _learner(self, lesson: bytes) -> PolicyLearner:
        if lesson != self._lesson:
            self._last = PolicyLearner(self._game, lesson, iterations=self._iterations)
            self._lesson = lesson
        return self._last


class _SelfPlay(_Worker):
    """Plays one match of self-play."""

    def __call__(self, lesson: bytes, seed: int) -> Chunk:
        return {"match": np.frombuffer(self._learner(lesson).play(seed), np.uint8)}


class _Contest(_Worker):
    """Plays the matches of one opening of the trial."""

    def __call__(self, lesson: bytes, seed: int) -> Chunk:
        return {"shares": np.array(self._learner(lesson).contest(seed))}


class _Policy:
    """The learner of `selfplay`. Its weights and its checkpoints are lessons. A lesson ends a generation."""

    def __init__(self, game: Game, lesson: bytes) -> None:
        self._game, self._known = game, lesson
        self._has_new = False

    def load(self, saved: bytes | None, chunks: Iterable[Chunk]) -> None:
        self._learner = PolicyLearner(self._game, saved or self._known)
        self._learner.recall([chunk["match"].tobytes() for chunk in chunks])

    def learn(self, chunk: Chunk) -> None:
        self._learner.keep(chunk["match"].tobytes())
        self._has_new = True

    def weights(self) -> bytes:
        if self._has_new:
            self._learner.end_generation()
            self._has_new = False
        return self._learner.lesson()

    save = weights


class _Trial:
    """The learner of the trial: it collects the shares. Its weights are the lesson that is tried."""

    def __init__(self, lesson: bytes) -> None:
        self._lesson = lesson
        self._shares: list[float] = []

    def load(self, saved: list[float] | None, chunks: Iterable[Chunk]) -> None:
        self._shares = list(saved or ())

    def learn(self, chunk: Chunk) -> None:
        self._shares += chunk["shares"].tolist()

    def weights(self) -> bytes:
        return self._lesson

    def save(self) -> list[float]:
        return self._shares


def learn(
    game: Game,
    knowledge: str | os.PathLike[str],
    *,
    minutes: float | None = None,
    matches: int | None = None,
    iterations: int | None = None,
    workers: int | None = None,
    seed: int = 0,
    address: str | None = None,
    tell: Callable[[Generation], object] | None = None,
) -> LearningReport:
    """Learns a game by self-play on a Ray cluster, and keeps what is learned in the file `knowledge`, as `ggp learn` does.
    Players such as `mcts:knowledge=FILE` use the file, also while it is learned: it has each generation at once.

    A run that was interrupted goes on from the folder `KNOWLEDGE.run`. A run that has come to its end removes the folder;
    the next one goes on from the file alone, with new matches.

    Args:
        game: The game. Other nodes need not have its rulesheet.
        knowledge: The file, which may hold other games too. The driver writes it.
        minutes: The minutes after which learning ends, those of interrupted runs included. By default 10, and no limit with
            `matches`.
        matches: The number of matches of self-play after which it ends.
        iterations: The iterations of a search of self-play: 300 by default, 1,000 at most. Searches of the trial have 30
            times as many.
        workers: The number of workers, with a core each; by default one for each core of the cluster. 0 learns in this
            process, without Ray.
        seed: The seed of all matches.
        address: The Ray cluster; `$RAY_ADDRESS` or this machine by default.
        tell: Called after each generation.

    Raises:
        ValueError: If the game cannot be learned, or the file is not one of knowledge.
        RuntimeError: If workers or the learner die again and again.
    """
    if minutes is None and matches is None:
        minutes = _MINUTES
    known = PolicyLearner(game, knowledge=knowledge)
    if workers is None:
        import ray

        from ggp.ray._cluster import connect

        connect(address)
        workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
    folder = pathlib.Path(f"{os.fspath(knowledge)}.run") / hashlib.sha256(game.text.encode()).hexdigest()[:16]
    last, first = known.lesson(), known.generations[-1].matches if known.generations else 0
    seeds = np.random.SeedSequence([seed, first]).generate_state(2)

    def keep(progress: Progress, lesson: bytes) -> None:
        learner = PolicyLearner(game, lesson)
        learner.write(knowledge)
        if tell is not None:
            tell(learner.generations[-1])

    def make() -> _Policy:
        return _Policy(game, last)

    # 1. Generations of self-play. The learner needs no core of its own: most of the time it waits.
    played = selfplay(
        _SelfPlay(game, iterations), make, folder=folder / "matches", workers=workers, learner_cpus=0, chunks=matches,
        seconds=None if minutes is None else 60 * minutes * _PLAYING, chunks_per_version=_LEAST_MATCHES, growth=_GROWTH,
        replay=_REPLAY, seed=int(seeds[0]), on_version=keep,
    )  # fmt: skip
    latest = PolicyLearner(game, checkpoint(folder / "matches"))
    # 2. The trial of the last generation.
    deaths, shares = played.deaths, []
    if latest.begin_trial():
        lesson, seats = latest.lesson(), len(game.roles) - (game.chance is not None)
        trial = folder / f"trial{played.version}"
        tried = selfplay(
            _Contest(game, iterations), lambda: _Trial(lesson), folder=trial, workers=workers, learner_cpus=0,
            chunks=-(-_TRIAL // seats), seconds=None if minutes is None else max(0.0, 60 * minutes - played.seconds),
            seed=int(seeds[1]),
        )  # fmt: skip
        deaths, shares = deaths + tried.deaths, checkpoint(trial)
        latest.end_trial(shares)
    latest.write(knowledge)
    # 3. The file has it all.
    shutil.rmtree(folder)
    with contextlib.suppress(OSError):
        folder.parent.rmdir()
    return LearningReport(latest.generations, latest.is_used, shares, deaths)
