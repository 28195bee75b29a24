"""A player that searches on all nodes of a Ray cluster.

Each node has trees of its own, with different seeds. Trees of the same root grow alike, so in games of two roles they share
the moves: for a part of the clock each of them searches all moves of the root; then the moves are dealt out, the best ones to
different trees, and each tree searches its own until shortly before the end of the clock. The statistics of the roots are added
up at both ends. In other games, and where several roles choose at once, all trees search all moves for the whole time. A tree
whose process or node dies is missing from the sum; a new one takes its place when it is ready.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import ggp
from ggp._results import Candidate
from ggp._serve import _tell
from ggp.ray._cluster import connect

#: Seconds at the end of the clock for the way of the statistics to the driver, and their sum: a part of the clock, within
#: bounds. An answer of an actor takes milliseconds; more on machines that are busy.
_RETURN_PART, _LEAST_RETURN, _MOST_RETURN = 0.1, 0.03, 0.25

#: The part of `_RETURN_PART` that is left for the sum.
_SUM_PART = 0.3

#: Moves with at least this part of the visits of the most visited one can be chosen, by the lower bound of their means, as
#: the search of one machine chooses its move.
_KNOWN_PART, _SPREAD = 0.5, 4.0

#: The part of a move's time in which each tree searches all moves, before they are dealt out.
WHOLE_PART = 0.4

#: The part of the start clock in which trees are made.
_START_PART = 0.8


class Found(NamedTuple):
    """What a tree has found: the move that it would play, its moves with visits or proofs, and the iterations of the run."""

    best: str
    candidates: list[Candidate]
    iterations: int


def found_by(search: ggp.Search, role: str, iterations: int) -> Found:
    """What `search` has found for `role`, with `iterations` in its last run."""
    candidates = [one for one in search.report(role) if one.visits or one.proven is not None]
    return Found(search.best_move(role), candidates, iterations)


class _Tree:
    """A search tree in a process of its own."""

    def __init__(self, rules: str, player: str) -> None:
        self._game = ggp.load(rules)
        self._player = player
        self._search = self._game.search(player=player)
        self._made = 0

    def ready(self) -> None:
        """Returns when the tree is ready."""

    def search(
        self, history: Sequence[Sequence[str]], role: str, seconds: float, moves: Sequence[str] | None
    ) -> Found:
        """Searches `moves` of `role`, or all of them, for `seconds` from the state after `history`."""
        began = time.monotonic()
        if len(history) < self._made:
            self._search, self._made = self._game.search(player=self._player), 0
        for joint in history[self._made :]:
            self._search.advance(list(joint))
            self._made += 1
        before = self._search.iterations
        self._search.run(seconds=max(0.01, seconds - (time.monotonic() - began)), role=role, moves=moves)
        return found_by(self._search, role, self._search.iterations - before)


def dealt(ranked: Sequence[Candidate], legal: Sequence[str], trees: int) -> list[list[str]]:
    """The legal moves for each of `trees` trees: `ranked` are dealt forth and back, then those that no tree has visited. With
    fewer moves than trees, the best moves go to several trees.
    """
    known = [one.move for one in ranked]
    moves = [*known, *sorted(set(legal) - set(known))]
    moves += [moves[number % len(moves)] for number in range(trees - len(moves))]
    hands: list[list[str]] = [[] for _ in range(trees)]
    for number, move in enumerate(moves):
        turn, place = divmod(number, trees)
        hands[place if turn % 2 == 0 else trees - 1 - place].append(move)
    return hands


def merged(found: Collection[Found], is_duel: bool) -> list[Candidate]:
    """The sums of the statistics of several trees, best move first. In a duel, a game of two roles, the best move is that with
    the highest lower bound, elsewhere the most visited one, as in the search of one machine.
    """
    moves: dict[str, list[Candidate]] = {}
    for one in found:
        for candidate in one.candidates:
            moves.setdefault(candidate.move, []).append(candidate)
    sums = []
    for move, parts in moves.items():
        visits = sum(part.visits for part in parts)
        scored = [part for part in parts if part.score is not None and part.visits]
        known = sum(part.visits for part in scored)
        score = sum((part.score or 0.0) * part.visits for part in scored) / known if known else None
        proofs = [part.proven for part in parts if part.proven is not None]
        sums.append(Candidate(move, visits, float(proofs[0]) if proofs else score, proofs[0] if proofs else None))
    most = max((one.visits for one in sums), default=0)

    def rank(one: Candidate) -> tuple[int, float, int]:
        certain = 1 if one.proven == 100 else -1 if one.proven == 0 else 0
        if not is_duel:
            return certain, 0.0, one.visits
        if one.proven is not None:
            return certain, one.proven / 100, one.visits
        if one.score is None or one.visits < max(1, _KNOWN_PART * most):
            return certain, -float(_SPREAD) - 1, one.visits
        return certain, one.score / 100 - _SPREAD / one.visits**0.5, one.visits

    return sorted(sums, key=rank, reverse=True)


def is_duel(game: ggp.Game) -> bool:
    """Whether the game has two roles besides chance."""
    return sum(role != "random" for role in game.roles) == 2


def _seeded(player: str, seed: int) -> str:
    return f"{player}{',' if ':' in player else ':'}seed={seed}"


class ClusterPlayer:
    """A player in one match, for `ggp.serve`.

    Args:
        player: The search of each tree, such as `"mcts"`.
        trees: The number of trees; by default one for each core that the cluster has free.
        cores: The cores of a tree.
        seed: The seed of the trees and of the choice among mixed strategies.
        resources: What a tree needs of its node besides cores, in the words of Ray, such as `{"search": 1}`.
    """

    def __init__(
        self,
        player: str = "mcts",
        trees: int | None = None,
        cores: int = 1,
        seed: int | None = None,
        resources: Mapping[str, float] | None = None,
    ) -> None:
        self._player, self._wanted, self._cores = player, trees, cores
        self._resources = dict(resources or {})
        self._random = random.Random(seed)
        self._trees: list[Any] = []
        #: For each tree the answer that it owes: that it is ready, or a search that came too late.
        self._owed: list[Any] = []
        self._history: list[list[str]] = []
        self._rules, self._role, self._is_duel = "", "", False
        #: For each move, the trees whose searches counted, and their descents; and the number of trees that have died.
        self.counted: list[int] = []
        self.descents: list[int] = []
        self.deaths = 0

    def start(self, game: ggp.Game, role: str, seconds: float) -> None:
        import ray

        self._rules, self._role, self._is_duel = game.text, role, is_duel(game)
        trees = self._wanted
        if trees is None:
            trees = max(1, int(ray.available_resources().get("CPU", 1)) // self._cores)
        for _ in range(trees):
            self._trees.append(None)
            self._owed.append(None)
            self._renew(len(self._trees) - 1)
        ray.wait(self._owed, num_returns=trees, timeout=_START_PART * seconds)

    def _renew(self, number: int) -> None:
        import ray

        options = {"num_cpus": self._cores, "resources": self._resources, "scheduling_strategy": "SPREAD"}
        actor = ray.remote(max_restarts=0, **options)(_Tree)
        self._trees[number] = actor.remote(self._rules, _seeded(self._player, self._random.getrandbits(32)))
        self._owed[number] = self._trees[number].ready.remote()

    def choose(self, state: ggp.State, joint: list[str] | None, seconds: float) -> str:
        import ray

        end = time.monotonic() + seconds
        if joint is not None:
            self._history.append(joint)
        legal = state.legal(self._role)
        if len(legal) == 1:
            return legal[0]
        reserve = min(max(_RETURN_PART * seconds, _LEAST_RETURN), _MOST_RETURN)
        trees = [number for number in range(len(self._trees)) if self._is_free(number)]
        is_alone = len(state.choosing) == 1
        self.descents.append(0)
        found: dict[int, Found] = {}
        # 1. In a duel, every tree that owes nothing searches all moves, and they are dealt out.
        hands: dict[int, list[str] | None] = dict.fromkeys(trees)
        if self._is_duel and is_alone and len(trees) > 1:
            whole = WHOLE_PART * (end - time.monotonic() - reserve)
            found = self._searched(hands, whole, whole + reserve)
            hands = dict(zip(found, dealt(merged(found.values(), True), legal, len(found))))
        # 2. Every tree searches its moves, or all. For a tree that does not answer in time, its first answer counts.
        left = end - time.monotonic()
        found.update(self._searched(hands, left - reserve, left - _SUM_PART * reserve))
        self.counted.append(len(found))
        if not found:
            return self._random.choice(legal)
        # 3. Where roles mix their moves, the move that one tree has drawn; otherwise the best of the sums.
        if len(found) == 1 or not is_alone:
            return self._random.choice(list(found.values())).best
        return merged(found.values(), self._is_duel)[0].move

    def _searched(self, hands: Mapping[int, list[str] | None], seconds: float, patience: float) -> dict[int, Found]:
        """Lets trees search for `seconds`, each its moves. Returns what those have found that answer within `patience`."""
        import ray

        end = time.monotonic() + patience
        asked = {}
        for number, moves in hands.items():
            answer = self._trees[number].search.remote(self._history, self._role, seconds, moves)
            self._owed[number] = answer
            asked[answer] = number
        found, waiting = {}, list(asked)
        while waiting and (left := end - time.monotonic()) > 0:
            ready, waiting = ray.wait(waiting, num_returns=1, timeout=left)
            for answer in ready:
                one = self._answer(asked[answer])
                if one is not None:
                    found[asked[answer]] = one
                    self.descents[-1] += one.iterations
        return found

    def _is_free(self, number: int) -> bool:
        """Whether a tree can search. A tree that has died is replaced."""
        import ray

        if self._owed[number] is None:
            return True
        ready, _ = ray.wait([self._owed[number]], timeout=0)
        if ready:
            self._answer(number)
        return self._owed[number] is None

    def _answer(self, number: int) -> Any:
        """What a tree owes. A tree that has died is replaced, and the answer is None."""
        import ray
        from ray.exceptions import RayError, RayTaskError

        try:
            answer = ray.get(self._owed[number])
        except RayTaskError:
            raise
        except RayError:
            self.deaths += 1
            self._renew(number)
            return None
        self._owed[number] = None
        return answer

    def stop(self) -> None:
        import ray

        for tree in self._trees:
            ray.kill(tree)
        self._trees.clear()
        self._owed.clear()


def serve(
    player: str = "mcts",
    *,
    address: str | None = None,
    trees: int | None = None,
    cores: int = 1,
    port: int = 9147,
    bind: str = "127.0.0.1",
    name: str = "ggp",
    margin: float = 0.2,
    listening: Any = None,
) -> None:
    """Serves a player that searches on all nodes of a Ray cluster, until Ctrl-C. It plays one match at a time.

    Args:
        player: The search of each tree, such as `"mcts"`.
        address: The Ray cluster; `$RAY_ADDRESS` or this machine by default.
        trees: The number of trees; by default one for each core that the cluster has free when a match begins.
        cores: The cores of a tree; give `player` as many `threads`.
        port, bind, name, margin, listening: As in `ggp.serve`.
    """
    connect(address)
    ggp.serve(
        lambda: ClusterPlayer(player, trees, cores),
        port=port,
        bind=bind,
        name=name,
        matches=1,
        margin=margin,
        listening=listening or _tell,
    )
