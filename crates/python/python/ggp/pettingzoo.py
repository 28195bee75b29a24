"""Games as PettingZoo environments: `parallel_env` and `env` (AEC). They need the extra `ggp[pettingzoo]`.

The agents are the roles other than chance. An observation is a dict: `observation` has one int8 item for each fact of
the state, in the order of `Game.fluents`; in a game of hidden information it has one for each percept that the agent may
get, in the order of `Game.percepts(role)`, and then one for each of its actions, 1 for its last one. `action_mask`, int8,
says which actions are legal. Percepts are those of the last step. Actions are indices into `Game.moves(role)`. Rewards come at the end: goals divided by 100.

Both environments take the same arguments:

- `game`: the game. It needs a network; `ggp.NoNetworkError` says why there is none.
- `max_steps`: the number of joint moves after which an episode is truncated.
- `illegal`: `"raise"` if an illegal action raises, `"end"` if it ends the episode: the agent at fault gets the reward 0, the
  others get 1.
- `render_mode`: `"ansi"` for boards as text.

The first `reset` without a seed draws one, so that environments without a seed play different episodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]

from ggp._ggp import Batch, Game

Observation = dict[str, NDArray[np.int8]]


class _Play:
    """One episode at a time, and what its agents observe."""

    def __init__(self, game: Game, max_steps: int | None, illegal: str) -> None:
        self.game = game
        self.agents = [role for number, role in enumerate(game.roles) if number != game.chance]
        self.numbers = {role: game.roles.index(role) for role in self.agents}
        self.moves = {role: game.moves(role) for role in self.agents}
        self.batch: Batch = game.batch(1, max_steps=max_steps, illegal=illegal)
        self.last: dict[str, int] = {}
        self.is_new = True
        self.observations = {role: self._observation_space(role) for role in self.agents}
        self.actions = {role: spaces.Discrete(len(self.moves[role])) for role in self.agents}

    def _observation_space(self, role: str) -> spaces.Dict:
        actions = len(self.moves[role])
        facts = len(self.game.percepts(role)) + actions if self.game.is_hidden else len(self.game.fluents)
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (facts,), np.int8),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )

    def reset(self, seed: int | None) -> None:
        if seed is None and self.is_new:
            seed = int(np.random.default_rng().integers(2**63))
        if seed is None:
            self.batch.reset()
        else:
            self.batch.restart(seed)
        self.is_new = False
        self.last = {}

    def step(self, actions: dict[str, int], waiting: Iterable[str] = ()) -> None:
        """Makes a step with `actions`. The agents of `waiting`, which have not acted yet, make their first legal moves, so that
        they are not at fault.
        """
        joint = np.full((1, len(self.game.roles)), -1, np.int64)
        for role in waiting:
            joint[0, self.numbers[role]] = self.mask(role).argmax()
        for role, action in actions.items():
            joint[0, self.numbers[role]] = action
        self.batch.step(joint)
        self.last.update(actions)

    @property
    def is_over(self) -> bool:
        return bool(self.batch.terminated[0] or self.batch.truncated[0])

    def mask(self, role: str) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self.batch.legal(role)[0].astype(np.int8)
        return mask

    def asks(self, role: str) -> bool:
        """Whether the agent has a choice, or has got percepts, which the next step would replace."""
        return bool(self.mask(role).sum() > 1) or self.game.is_hidden and bool(self.batch.observe(role=role).any())

    def observe(self, role: str) -> Observation:
        facts = self.batch.observe(dtype="uint8", role=role)[0].astype(np.int8)
        if self.game.is_hidden:
            own = np.zeros(len(self.moves[role]), np.int8)
            last = self.last.get(role, -1)
            # An illegal action may be the index of no move.
            if 0 <= last < len(own):
                own[last] = 1
            facts = np.concatenate([facts, own])
        return {"observation": facts, "action_mask": self.mask(role)}

    def rewards(self) -> dict[str, float]:
        rewards = self.batch.rewards[0]
        return {role: float(rewards[number]) for role, number in self.numbers.items()}

    def render(self) -> str:
        return str(self.batch.state(0))


class _Env:
    """What both environments have."""

    def __init__(
        self,
        game: Game,
        *,
        max_steps: int | None = None,
        illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._play = _Play(game, max_steps, illegal)
        self._illegal = illegal
        self.possible_agents = list(self._play.agents)
        self.agents: list[str] = []
        self.render_mode = render_mode
        self.observation_spaces = self._play.observations
        self.action_spaces = self._play.actions

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._play.observations[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._play.actions[agent]

    def render(self) -> str | None:
        return self._play.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass


class parallel_env(_Env, ParallelEnv[str, Observation, int]):  # type: ignore[misc]
    """All agents act at once. An agent that has no choice has one legal action, and may leave it out."""

    metadata: dict[str, Any] = {"name": "ggp", "render_modes": ["ansi"], "is_parallelizable": True}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self._play.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        if not self.agents:
            return {}, {}, {}, {}, {}
        self._play.step({agent: int(actions[agent]) for agent in self.agents if agent in actions})
        batch = self._play.batch
        ends = bool(batch.terminated[0]), bool(batch.truncated[0])
        terminated, truncated = ({agent: end for agent in self.agents} for end in ends)
        result: tuple[Any, ...] = (self._observations(), self._play.rewards(), terminated, truncated, {agent: {} for agent in self.agents})
        if any(ends):
            self.agents = []
        return result

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._play.observe(agent) for agent in self.agents}

    def state(self) -> NDArray[np.bool_]:
        """The facts of the state, all of them."""
        facts: NDArray[np.bool_] = self._play.batch.observe()[0]
        return facts


class env(_Env, AECEnv[str, Observation, "int | None"]):  # type: ignore[misc]
    """One agent acts at a time, and only if it has a choice: forced moves are made at once. In a game of hidden information
    an agent acts also where it has got percepts, so that it misses none. Agents that choose at the same time act one after
    the other, and none sees what the others have chosen.
    """

    metadata: dict[str, Any] = {"name": "ggp", "render_modes": ["ansi"], "is_parallelizable": False}

    def observe(self, agent: str) -> Observation:
        return self._play.observe(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._play.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[str, int] = {}
        self._advance()

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        mask = self._play.mask(agent)
        number = -1 if action is None else int(action)
        is_move = 0 <= number < len(mask)
        is_legal = is_move and mask[number] == 1
        if not is_legal and (self._illegal == "raise" or action is None):
            raise ValueError(f"{agent}: the action {action} is not legal; observe()['action_mask'] shows the legal ones")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {agent: 0.0 for agent in self.agents}
        # A negative number would stand for a missing action, which is legal for an agent without a choice.
        self._chosen[agent] = number if is_move else len(mask)
        waiting = self._waiting()
        if not is_legal or not waiting:
            self._play.step(self._chosen, waiting)
            self._chosen = {}
            self.rewards = self._play.rewards()
        self._advance()
        self._accumulate_rewards()

    def _waiting(self) -> list[str]:
        """The agents that are asked and have not answered."""
        return [agent for agent in self.agents if agent not in self._chosen and self._play.asks(agent)]

    def _advance(self) -> None:
        """Makes forced moves until an agent is asked, or the episode is over."""
        while not self._play.is_over:
            waiting = self._waiting()
            if waiting:
                self.agent_selection = waiting[0]
                return
            self._play.step({})
            self.rewards = self._play.rewards()
        batch = self._play.batch
        self.terminations = {agent: bool(batch.terminated[0]) for agent in self.agents}
        self.truncations = {agent: bool(batch.truncated[0]) for agent in self.agents}
        self.agent_selection = self.agents[0]
