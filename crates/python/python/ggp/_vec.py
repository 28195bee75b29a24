"""One role of a game against opponents inside, many episodes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggp._ggp import Batch, Game

#: An episode that ends before the role has a choice is skipped, this many times in a row.
_MOST_SKIPPED = 1000


class VecEnv:
    """Many episodes of a game for one role. The other roles are played inside.

    The role is asked only where it has a choice; in a game of hidden information also where it has got percepts, since the
    next step would replace them. `batch.steps` counts the steps of each episode, those without a question included.

    Args:
        game: The game.
        n: The number of lanes.
        role: The role; it may be left out if the game has one role besides chance.
        opponents: `"random"`, or a search with a number of iterations, such as `"mcts:iterations=200"`. In a game of hidden
            information it is an information-set search, which knows only what its role has seen.
        seed, threads, max_steps, illegal: As in `Game.batch`.
        layout: `"rows"` or `"planes"`: what `observe` gives, as in `Batch.observe`.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        role: str | int | None = None,
        opponents: str = "random",
        *,
        seed: int = 0,
        threads: int = 1,
        max_steps: int | None = None,
        illegal: str = "raise",
        layout: str = "rows",
    ) -> None:
        players = [number for number in range(len(game.roles)) if number != game.chance]
        if role is None:
            if len(players) != 1:
                raise ValueError(f"name the role: {', '.join(game.roles[number] for number in players)}")
            role = players[0]
        number = game.roles.index(role) if isinstance(role, str) and role in game.roles else role
        if number not in players:
            raise ValueError(f"{role!r} is no role to play: {', '.join(game.roles[number] for number in players)}")
        self.game = game
        self.role = int(number)
        self.opponents = opponents
        self.batch: Batch = game.batch(n, seed, threads, max_steps=max_steps, illegal=illegal)
        self.over: NDArray[np.bool_] = np.zeros(n, bool)
        if layout not in ("rows", "planes") or layout == "planes" and game.is_hidden:
            raise ValueError(f'layout is "rows" or, in games without hidden information, "planes", not {layout!r}')
        self.layout = layout
        #: The names of the columns of `observe`, or of the planes.
        self.columns = game.planes if layout == "planes" else game.fluents
        if game.is_hidden:
            self.columns = (*game.percepts(self.role), *(f"(does {move})" for move in game.moves(self.role)))
        self._last = np.full(n, -1)
        self._begin(np.ones(n, bool))

    def __len__(self) -> int:
        return len(self.batch)

    def reset(self, mask: ArrayLike | None = None) -> None:
        """Begins the next episodes in the lanes of `mask`, a bool array of shape (n,); in all lanes by default."""
        self.batch.reset(mask)
        self._begin(np.ones(len(self), bool) if mask is None else np.asarray(mask))

    def restart(self, seed: int) -> None:
        """Begins the first episodes: lane i draws as lane 0 of the seed `seed + i`."""
        self.batch.restart(seed, by_lane=True)
        self._begin(np.ones(len(self), bool))

    def _begin(self, begun: NDArray[np.bool_]) -> None:
        """Lets the opponents move where they are first in the lanes of `begun`."""
        self._last[begun] = -1
        for _ in range(_MOST_SKIPPED):
            self.batch.step_against(self.role, None, self.opponents)
            self.over = self.batch.terminated | self.batch.truncated
            over_at_once = self.over & begun
            if not over_at_once.any():
                return
            self.batch.reset(over_at_once)
        raise ValueError(f"{self.game.roles[self.role]} has no choice in {_MOST_SKIPPED} episodes")

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]:
        """Makes the role's actions, an integer array of shape (n,), and the moves of the opponents until the role is asked
        again. In lanes whose episodes are over, actions do not count.

        Returns:
            The rewards of the role, float32 from 0 to 1, at the end of an episode alone; and whether the episodes are
            terminated and truncated, bool: three arrays of shape (n,).
        """
        live = ~self.over
        self.batch.step_against(self.role, actions, self.opponents)
        self._last[live] = np.asarray(actions)[live]
        terminated, truncated = self.batch.terminated, self.batch.truncated
        self.over = terminated | truncated
        return self.batch.rewards[:, self.role], terminated, truncated

    def observe(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """What the role sees in each lane, a bool array with a column or a plane for each of `columns`: the facts; in a game
        of hidden information the role's percepts of the last step, and its last action.
        """
        if not self.game.is_hidden:
            return self.batch.observe(self.layout, out=out)
        percepts = self.batch.observe(role=self.role)
        moves = np.arange(len(self.columns) - percepts.shape[1])
        return np.concatenate([percepts, self._last[:, None] == moves], axis=1, out=out)

    def legal(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """The legal actions of the role, a bool array of shape (n, A). None is legal where the episode is over."""
        return self.batch.legal(self.role, out=out)


#: Many episodes for one role are made by this name.
make_vec = VecEnv
