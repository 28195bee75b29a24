"""Tree search with a policy and values of your own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggp._ggp import Batch, Game, State

Evaluate = Callable[
    [NDArray[Any], NDArray[np.bool_], NDArray[np.float32], NDArray[np.float32]],
    "tuple[ArrayLike, ArrayLike] | None",
]


class SearchResult(NamedTuple):
    """What searches from n states have found. R is the number of roles, A the largest number of moves of a role."""

    visits: NDArray[np.int32]
    """The visits of the actions at the root, of shape (n, R, A)."""
    policy: NDArray[np.float32]
    """The recommended policy, of shape (n, R, A): a target for training."""
    values: NDArray[np.float32]
    """The mean values, of shape (n, R), from 0 to 1."""
    actions: NDArray[np.int32]
    """The recommended actions, of shape (n, R); -1 where the game is over."""


class Searcher:
    """A tree search with a policy and values of your own, such as those of a neural network.

    Many trees grow in lockstep. Their leaves are evaluated together: `evaluate(facts, mask, logits, values)` gets the facts
    of up to `batch` leaves, a bool array of shape (n, F) or planes, and the legal actions of all roles, a bool array of shape
    (n, R, A); it fills `logits`, float32 of shape (n, R, A), and `values`, float32 of shape (n, R), from 0 to 1, or returns
    both. All four are parts of arrays that are used again. Each role chooses by its own statistics, so roles may choose at
    the same time; chance draws.

    Args:
        game: The game. It needs a network, and must not be one of hidden information.
        evaluate: The function.
        batch: The largest number of leaves of a call.
        simulations: The number of descents in each tree.
        root: `"puct"`, or `"gumbel"` for Gumbel noise with sequential halving.
        considered: With `"gumbel"`, the number of actions that are considered at first.
        exploration: The weight of the policy against the values.
        layout: `"rows"` for facts as bool rows, `"planes"` for the board as channels of an image, float32 of shape
            (n, C, height, width), as in `Batch.observe`.
        seed: The seed of noise and chance. Tree i draws as number i of the seed.

    >>> import ggp, numpy as np
    >>> game = ggp.load('''(role a) (init start) (legal a stay) (legal a go) (next over) (<= (next won) (does a go))
    ...     (<= terminal (true over)) (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))''')
    >>> def evaluate(facts, mask, logits, values):
    ...     logits[:], values[:] = 0, 0.5
    >>> found = ggp.search(game, evaluate, simulations=16).run(game.initial_state())
    >>> game.moves("a")[found.actions[0, 0]]
    'go'
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate,
        batch: int = 256,
        *,
        simulations: int = 32,
        root: str = "puct",
        considered: int = 16,
        exploration: float = 1.25,
        layout: str = "rows",
        seed: int = 0,
    ) -> None:
        if root not in ("puct", "gumbel"):
            raise ValueError(f'root is "puct" or "gumbel", not {root!r}')
        if layout not in ("rows", "planes"):
            raise ValueError(f'layout is "rows" or "planes", not {layout!r}')
        if batch < 1 or simulations < 1 or considered < 1:
            raise ValueError("batch, simulations and considered must be at least 1")
        self.game, self.evaluate = game, evaluate
        self.simulations, self.exploration, self.seed = simulations, exploration, seed
        self.considered = considered if root == "gumbel" else None
        roles, width = len(game.roles), max(len(game.moves(role)) for role in game.roles)
        # The function gets the first rows of these arrays each time.
        self._facts: NDArray[Any] = np.zeros((batch, len(game.fluents)), bool)
        if layout == "planes":
            self._facts = np.zeros((batch, *game.batch(1).observe("planes").shape[1:]), np.float32)
        self._mask = np.zeros((batch, roles, width), bool)
        self._logits = np.zeros((batch, roles, width), np.float32)
        self._values = np.zeros((batch, roles), np.float32)

    def run(self, states: Batch | State | Sequence[State] | NDArray[np.uint64]) -> SearchResult:
        """Searches from all `states` at once: a batch, a state, a list of states, or an array of packed states."""
        if isinstance(states, Batch):
            states = states.pack()
        trees = self.game._trees(
            states,
            simulations=self.simulations,
            exploration=self.exploration,
            considered=self.considered,
            seed=self.seed,
        )
        write_facts = trees.write_facts if self._facts.ndim == 2 else trees.write_planes
        while count := trees.descend(len(self._mask)):
            write_facts(self._facts)
            trees.write_legal(self._mask)
            logits, values = self._logits[:count], self._values[:count]
            found = self.evaluate(self._facts[:count], self._mask[:count], logits, values)
            if found is not None:
                logits, values = (np.asarray(one, np.float32) for one in found)
            trees.update(logits, values)
        return SearchResult(trees.visits(), trees.policy(), trees.values(), trees.actions())


#: A tree search with a policy and values of your own is made by this name.
search = Searcher
