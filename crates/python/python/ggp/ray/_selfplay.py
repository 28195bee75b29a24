"""Self-play: workers play chunks of games, and a learner learns from them.

A chunk has a number, and its seed follows from the number, so a chunk that a dead worker has not delivered is played again
by another one. Weights have a version. The driver writes everything: each chunk into a file of its own before the learner
gets it, and a checkpoint for each version before a worker gets that version. So nothing that a worker has seen is lost, and
versions never go back.
"""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ggp._errors import GgpError
from ggp._ggp import __version__

#: The positions of some games: arrays with one row for each position.
Chunk = Mapping[str, NDArray[Any]]

#: Plays a chunk with some weights and a seed, and depends on nothing else.
Play = Callable[[Any, int], Chunk]

#: The format of the folder of a run, and the newest version that is written and read. Checkpoints of ggp 0.1 do not name
#: it; they have version 1.
_FORMAT, _VERSION = "ggp self-play", 1

#: Chunks that one worker plays with the same weights before it gets newer ones.
_SPAN = 2

#: Chunks of a worker that wait for the learner. A worker that is further ahead pauses.
_AHEAD = 2

#: Deaths in a row, without a chunk between them, after which self-play gives up.
_MOST_DEATHS = 5

#: Seconds after which the limits of time are looked at.
_LOOK = 1.0


class Learner(Protocol):
    """What learns. It lives in one process; its state goes through `save` and `load`."""

    def learn(self, chunk: Chunk) -> None:
        """Learns from a chunk, and from earlier ones as it likes."""

    def weights(self) -> Any:
        """What workers need to play: anything that pickles."""

    def save(self) -> Any:
        """Everything but the chunks: weights, optimiser, random numbers."""

    def load(self, saved: Any, chunks: Iterable[Chunk]) -> None:
        """Goes on from what `save` gave (None: from the beginning), with the latest `chunks` as the replay memory."""


class Progress(NamedTuple):
    """How far self-play is."""

    version: int
    """The version of the weights. The first weights have version 0."""
    chunks: int
    """The number of chunks that the learner has learned."""
    seconds: float
    """The seconds of this run and of the runs that it goes on from."""
    deaths: tuple[str, ...]
    """The workers and learners that have died in this run."""


def _read(checkpoint: pathlib.Path) -> dict[str, Any]:
    """The content of a checkpoint."""
    with open(checkpoint, "rb") as file:
        kept = pickle.load(file)
    if not isinstance(kept, dict) or "learner" not in kept:
        raise GgpError(f"{checkpoint} is no checkpoint of self-play: name another folder")
    name, _, version = str(kept.get("format", f"{_FORMAT} 1")).rpartition(" ")
    if name != _FORMAT or not version.isdecimal() or not 1 <= int(version) <= _VERSION:
        raise GgpError(
            f"{checkpoint}: version {version} of the format `{name}` is unknown to ggp {__version__}, which reads version "
            f"{_VERSION} of `{_FORMAT}`: use the ggp that wrote it, or a newer one"
        )
    return kept


def checkpoint(folder: str | os.PathLike[str]) -> Any:
    """What `Learner.save` gave for the latest checkpoint of a run of `selfplay`.

    Args:
        folder: The folder of the run.

    Raises:
        FileNotFoundError: There is no checkpoint.
        GgpError: The checkpoint has a version that this package does not know.
    """
    return _read(pathlib.Path(folder) / "checkpoint.pkl")["learner"]


class _Folder:
    """The folder of a run: `chunks/NUMBER.npz`, `chunks.jsonl` with one line for each chunk in the order of learning, and
    `checkpoint.pkl`. The last one tells how many lines its learner has learned.
    """

    def __init__(self, folder: str | os.PathLike[str], replay: int) -> None:
        self.path, self.replay = pathlib.Path(folder), replay
        (self.path / "chunks").mkdir(parents=True, exist_ok=True)
        self.saved: Any = None
        self.version, self.seconds = 0, 0.0
        self.numbers: list[int] = []
        #: The number of chunks that the checkpoint knows.
        self.sure = 0
        checkpoint, log = self.path / "checkpoint.pkl", self.path / "chunks.jsonl"
        if checkpoint.exists():
            kept = _read(checkpoint)
            self.saved, self.version, self.seconds = kept["learner"], kept["version"], kept["seconds"]
            # The lines after those of the checkpoint are of chunks that the learner learns once more. A line that the end of
            # the driver has cut is not one of them: it has no newline.
            lines = [line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
            self.numbers = [json.loads(line)["chunk"] for line in lines]
            self.sure = min(kept["chunks"], len(lines))
            self._replace(log, "".join(lines).encode())
        else:
            self._replace(log, b"")
        #: The number of chunks from the beginning whose files are gone.
        self._forgotten = 0
        kept_files = {self._file(number) for number in self.numbers}
        for file_name in (self.path / "chunks").iterdir():
            if file_name not in kept_files:
                file_name.unlink()

    def _file(self, number: int) -> pathlib.Path:
        return self.path / "chunks" / f"{number:08}.npz"

    @staticmethod
    def _replace(path: pathlib.Path, data: bytes) -> None:
        """Writes a file whole: a crash leaves the old one or the new one."""
        part = path.with_name(path.name + ".part")
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)

    def add(self, number: int, chunk: Chunk, version: int, worker: str) -> None:
        path = self._file(number)
        part = path.with_name(path.name + ".part")
        with open(part, "wb") as file:
            np.savez(file, **chunk)
        os.replace(part, path)
        rows = len(next(iter(chunk.values()), ()))
        line = {"chunk": number, "version": version, "worker": worker, "rows": rows}
        with open(self.path / "chunks.jsonl", "a") as file_log:
            file_log.write(json.dumps(line) + "\n")
        self.numbers.append(number)

    def checkpoint(self, saved: Any, version: int, seconds: float) -> None:
        self.saved, self.version, self.sure = saved, version, len(self.numbers)
        kept = {"format": f"{_FORMAT} {_VERSION}", "learner": saved, "version": version, "seconds": seconds}
        kept["chunks"] = len(self.numbers)
        self._replace(self.path / "checkpoint.pkl", pickle.dumps(kept))
        old = max(0, len(self.numbers) - self.replay)
        for number in self.numbers[self._forgotten : old]:
            self._file(number).unlink(missing_ok=True)
        self._forgotten = max(self._forgotten, old)

    def latest(self) -> Iterator[Chunk]:
        """The replay memory at the checkpoint."""
        return self._chunks(self.numbers[: self.sure][-self.replay :])

    def since(self) -> Iterator[Chunk]:
        """The chunks that have been learned since the checkpoint."""
        return self._chunks(self.numbers[self.sure :])

    def _chunks(self, numbers: Iterable[int]) -> Iterator[Chunk]:
        for number in numbers:
            path = self._file(number)
            if path.exists():
                with np.load(path) as arrays:
                    yield dict(arrays)


def selfplay(
    play: Play,
    learner: Callable[[], Learner],
    *,
    folder: str | os.PathLike[str],
    workers: int = 2,
    learner_cpus: float = 1,
    chunks: int | None = None,
    seconds: float | None = None,
    chunks_per_version: int = 4,
    growth: float = 1.0,
    replay: int = 64,
    seed: int = 1,
    on_version: Callable[[Progress, Any], None] | None = None,
) -> Progress:
    """Lets workers play with the weights of a learner, and the learner learn from their games.

    The run goes on from the checkpoint of `folder`, if there is one. A worker that dies is replaced, and its chunks are
    played again; a learner that dies begins with the last checkpoint and learns the chunks since then once more. The chunks
    that are left at the end make a version too.

    Args:
        play: Plays a chunk: `play(weights, seed)` returns arrays with one row for each position, about a megabyte of them.
        learner: Makes the learner, in the process in which it lives.
        folder: Where the driver keeps chunks and checkpoints.
        workers: The number of workers, with a core each. 0 plays and learns in this process, without Ray.
        learner_cpus: The cores of the learner.
        chunks: The number of chunks after which the run ends, those of earlier runs included.
        seconds: The seconds after which it ends, those of earlier runs included.
        chunks_per_version: The number of chunks after which the workers get new weights.
        growth: The workers get new weights only when there are so many times the chunks of the version before. More than 1
            is for learners that learn all chunks anew for each version.
        replay: The number of chunks whose files are kept, for the replay memory of a learner that is restored.
        seed: The seed of all chunks.
        on_version: Called for each version with the progress and the weights.

    Returns:
        The progress at the end.

    Raises:
        ValueError: Without a limit.
        RuntimeError: If workers or learners die again and again. Exceptions of `play` and of the learner are raised as they
            are.
    """
    if chunks is None and seconds is None:
        raise ValueError("give chunks, seconds, or both")
    if workers < 0 or chunks_per_version < 1 or growth < 1 or replay < 1:
        raise ValueError("workers must be at least 0; chunks_per_version, growth and replay at least 1")
    run = _Run(_Folder(folder, replay), chunks, seconds, chunks_per_version, growth, seed, on_version)
    if workers == 0:
        _here(run, play, learner)
    else:
        _on_ray(run, play, learner, workers, learner_cpus)
    return run.progress()


class _Run:
    """The state of a run in the driver."""

    def __init__(
        self,
        folder: _Folder,
        chunks: int | None,
        seconds: float | None,
        chunks_per_version: int,
        growth: float,
        seed: int,
        on_version: Callable[[Progress, Any], None] | None,
    ) -> None:
        self.folder, self.seed = folder, seed
        self._chunks, self._seconds = chunks, seconds
        self._per_version, self._growth = chunks_per_version, growth
        self._on_version = on_version
        self._began = time.monotonic()
        #: Chunks that must be played before new ones.
        self.again: deque[int] = deque()
        self._next = 0
        self._known = set(folder.numbers)
        self.learned = len(folder.numbers)
        self.version = folder.version
        self.deaths: list[str] = []
        self._deaths_in_a_row = 0

    def elapsed(self) -> float:
        return self.folder.seconds + time.monotonic() - self._began

    def is_over(self) -> bool:
        enough = self._chunks is not None and self.learned >= self._chunks
        return enough or self._seconds is not None and self.elapsed() >= self._seconds

    def progress(self) -> Progress:
        return Progress(self.version, self.learned, self.elapsed(), tuple(self.deaths))

    def take(self) -> int | None:
        """The number of the next chunk to play."""
        if self.again:
            return self.again.popleft()
        if self._chunks is not None and len(self._known) >= self._chunks:
            return None
        while self._next in self._known:
            self._next += 1
        self._known.add(self._next)
        return self._next

    def seed_of(self, number: int) -> int:
        return int(np.random.SeedSequence([self.seed, number]).generate_state(1, np.uint32)[0])

    def wants_version(self) -> bool:
        return self.learned >= max(self.folder.sure + self._per_version, self._growth * self.folder.sure)

    def has_rest(self) -> bool:
        """Whether chunks have been learned since the last version."""
        return self.learned > self.folder.sure

    def begin(self, saved: Any) -> None:
        """Makes the first weights version 0, so that a learner that dies early does not begin with others."""
        if self.folder.saved is None:
            self.folder.checkpoint(saved, 0, self.elapsed())

    def publish(self, saved: Any, weights: Any) -> None:
        """Makes weights the next version. The checkpoint is written before anyone gets them."""
        self.version += 1
        self.folder.checkpoint(saved, self.version, self.elapsed())
        if self._on_version:
            self._on_version(self.progress(), weights)

    def died(self, who: str, error: Exception) -> None:
        """Notes a death. Deaths in a row, such as those of a learner that cannot be made, are an error."""
        self.deaths.append(who)
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= _MOST_DEATHS:
            raise RuntimeError(f"self-play gives up: {', '.join(self.deaths[-_MOST_DEATHS:])} died in a row") from error

    def delivered(self) -> None:
        self._deaths_in_a_row = 0


def _here(run: _Run, play: Play, make: Callable[[], Learner]) -> None:
    """Plays and learns in this process."""
    learner = make()
    learner.load(run.folder.saved, run.folder.latest())
    run.begin(learner.save())
    for chunk in run.folder.since():
        learner.learn(chunk)
    weights = learner.weights()
    if run.has_rest():
        run.publish(learner.save(), weights)
    while not run.is_over():
        number = run.take()
        if number is None:
            break
        chunk = play(weights, run.seed_of(number))
        run.folder.add(number, chunk, run.version, "here")
        learner.learn(chunk)
        run.learned += 1
        if run.wants_version():
            weights = learner.weights()
            run.publish(learner.save(), weights)
    if run.has_rest():
        weights = learner.weights()
        run.publish(learner.save(), weights)


class _Worker:
    """Plays chunks, in a process of its own."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def play(self, weights: Any, seeds: Sequence[int]) -> Iterator[Chunk]:
        for seed in seeds:
            yield self._play(weights, seed)


class _LearnerProcess:
    """The learner, in a process of its own."""

    def __init__(self, make: Callable[[], Learner], saved: Any, chunks: list[Chunk], since: list[Chunk]) -> None:
        self._learner = make()
        self._learner.load(saved, chunks)
        for chunk in since:
            self._learner.learn(chunk)

    def learn(self, chunk: Chunk) -> None:
        self._learner.learn(chunk)

    def weights(self) -> Any:
        return self._learner.weights()

    def save(self) -> Any:
        return self._learner.save()


class _Playing(NamedTuple):
    """The chunks that a worker plays."""

    worker: int
    numbers: deque[int]
    version: int


def _on_ray(run: _Run, play: Play, make: Callable[[], Learner], count: int, learner_cpus: float) -> None:
    """Plays and learns in actors."""
    import ray
    from ray.exceptions import RayError, RayTaskError

    from ggp.ray._cluster import connect

    connect()
    folder = run.folder
    new_worker = ray.remote(num_cpus=1, scheduling_strategy="SPREAD", max_restarts=0)(_Worker).remote
    learner_class = ray.remote(num_cpus=learner_cpus, max_restarts=0)(_LearnerProcess)

    def new_learner() -> Any:
        return learner_class.remote(make, folder.saved, list(folder.latest()), list(folder.since()))

    def answer(reference: Any) -> tuple[bool, Any]:
        """Whether the learner has answered, and its answer. A learner that has died is replaced."""
        nonlocal learner
        try:
            return True, ray.get(reference)
        except RayTaskError as error:
            raise (error.cause or error) from None
        except RayError as error:
            run.died("learner", error)
            ray.kill(learner)
            learner = new_learner()
            return False, None

    def asked(call: Callable[[Any], Any]) -> Any:
        """The answer of the learner to `call`. A learner that dies is asked again when it has been replaced."""
        while True:
            is_there, said = answer(call(learner))
            if is_there:
                return said

    def publish() -> None:
        """Asks for the next version. A learner that dies here learns its chunks again; the order of questions does not
        matter.
        """
        nonlocal weights
        saved, new = asked(lambda one: one.save.remote()), asked(lambda one: one.weights.remote())
        weights = ray.put(new)
        run.publish(saved, new)

    learner = new_learner()
    run.begin(asked(lambda one: one.save.remote()))
    weights = ray.put(asked(lambda one: one.weights.remote()))
    if run.has_rest():
        publish()
    workers = [new_worker(play) for _ in range(count)]
    names = [f"worker {number}" for number in range(count)]
    playing: dict[Any, _Playing] = {}
    learning: Any = None
    try:
        while not run.is_over():
            # 1. Every worker has chunks to play, with the newest weights.
            for number, worker in enumerate(workers):
                if any(one.worker == number for one in playing.values()):
                    continue
                numbers = deque(one for _ in range(_SPAN) if (one := run.take()) is not None)
                if numbers:
                    options = {"num_returns": "streaming", "_generator_backpressure_num_objects": _AHEAD}
                    seeds = [run.seed_of(one) for one in numbers]
                    games = worker.play.options(**options).remote(weights, seeds)
                    playing[games] = _Playing(number, numbers, run.version)
            # 2. The learner learns one chunk after the other. Meanwhile the workers fill their queues, and pause.
            waiting = [learning] if learning is not None else list(playing)
            if not waiting:
                break
            ready, _ = ray.wait(waiting, num_returns=1, timeout=_LOOK)
            if not ready:
                continue
            if learning is not None:
                # A new learner learns this chunk as one of those since the checkpoint.
                answer(learning)
                learning = None
                run.learned += 1
                if run.wants_version():
                    publish()
                continue
            # 3. A chunk is written, and then learned.
            games = ready[0]
            part = playing[games]
            try:
                chunk = ray.get(next(games))
            except StopIteration:
                del playing[games]
                continue
            except RayTaskError as error:
                raise (error.cause or error) from None
            except RayError as error:
                run.died(names[part.worker], error)
                ray.kill(workers[part.worker])
                workers[part.worker] = new_worker(play)
                run.again.extend(part.numbers)
                del playing[games]
                continue
            number = part.numbers.popleft()
            run.delivered()
            folder.add(number, chunk, part.version, names[part.worker])
            learning = learner.learn.remote(chunk)
        # 4. The chunks that are left make a version.
        if learning is not None:
            answer(learning)
            run.learned += 1
        if run.has_rest():
            publish()
    finally:
        for actor in (*workers, learner):
            ray.kill(actor)
