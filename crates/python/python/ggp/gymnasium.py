"""Games for one role as Gymnasium environments: `Env` and `VectorEnv`. They need the extra `ggp[gymnasium]`.

The other roles are played inside (`opponents`). The agent is asked only where it has a choice; in a game of hidden
information also where it has got percepts. An observation has one int8 item for each fact of the state, in the order of
`Game.fluents`; with `layout="planes"` it is the board as channels of an image, in the order of `Game.planes`. In a game of
hidden information it has one for each percept of the role, those of the last step, and then one for
each of its actions, 1 for its last one. `info["action_mask"]`, int8, says which actions are legal;
`action_space.sample(info["action_mask"])` draws one. An illegal action ends the episode with the reward 0, or raises with
`illegal="raise"`. The reward comes at the end: the goal divided by 100. The first `reset` without a seed draws one from
`np_random`, so that environments without a seed play different episodes.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ggp._ggp import Game
from ggp._vec import VecEnv


def _spaces(vec: VecEnv) -> tuple[Any, Any]:
    observation = spaces.Box(0, 1, vec.observe().shape[1:], np.int8)
    return observation, spaces.Discrete(len(vec.game.moves(vec.role)))


def _begin(env: Env | VectorEnv, seed: int | None) -> None:
    """Begins the first episodes of `seed`. Without one, it draws a seed the first time, and then begins the next."""
    if seed is None and env._is_new:
        seed = int(env.np_random.integers(2**63))
    env._is_new = False
    if seed is None:
        env._vec.reset()
    else:
        env._vec.restart(seed)


class Env(gymnasium.Env[NDArray[np.int8], int]):
    """One episode at a time."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Game,
        role: str | int | None = None,
        opponents: str = "random",
        *,
        max_steps: int | None = None,
        illegal: str = "end",
        layout: str = "rows",
        render_mode: str | None = None,
    ) -> None:
        self._vec = VecEnv(game, 1, role, opponents, max_steps=max_steps, illegal=illegal, layout=layout)
        self._is_new = True
        self.observation_space, self.action_space = _spaces(self._vec)
        self.render_mode = render_mode

    def _observe(self) -> NDArray[np.int8]:
        facts: NDArray[np.int8] = self._vec.observe()[0].astype(np.int8)
        return facts

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._vec.legal()[0].astype(np.int8)}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        super().reset(seed=seed)
        _begin(self, seed)
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        reward, terminated, truncated = self._vec.step(np.array([action], np.int64))
        return self._observe(), float(reward[0]), bool(terminated[0]), bool(truncated[0]), self._info()

    def render(self) -> str | None:
        return str(self._vec.batch.state(0)) if self.render_mode == "ansi" else None


class VectorEnv(gymnasium.vector.VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """Many episodes at once, with any of the three modes of automatic resets.

    Lane i of `reset(seed=s)` plays as `Env.reset(seed=s + i)` does.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        role: str | int | None = None,
        opponents: str = "random",
        *,
        threads: int = 1,
        max_steps: int | None = None,
        illegal: str = "end",
        layout: str = "rows",
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._vec = VecEnv(
            game, num_envs, role, opponents, threads=threads, max_steps=max_steps, illegal=illegal, layout=layout
        )
        self._is_new = True
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = _spaces(self._vec)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)

    def _observe(self) -> NDArray[np.int8]:
        return self._vec.observe().view(np.int8)

    def _info(self) -> dict[str, Any]:
        mask = self._vec.legal().view(np.int8)
        return {"action_mask": mask, "_action_mask": np.ones(self.num_envs, bool)}

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        mask = (options or {}).get("reset_mask")
        if isinstance(seed, (list, tuple)):
            raise ValueError("seed is one number: lane i gets seed + i")
        if mask is not None:
            if seed is not None:
                raise ValueError("a seed begins all lanes anew: leave out the reset_mask")
            self._vec.reset(mask)
        else:
            _begin(self, seed)
        return self._observe(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        vec, before = self._vec, self._vec.over
        if self.autoreset_mode is AutoresetMode.DISABLED and before.any():
            raise ValueError("episodes are over: reset(options={'reset_mask': mask}) begins new ones")
        rewards, terminated, truncated = vec.step(actions)
        rewards = rewards.astype(np.float64)
        over, final = vec.over, {}
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and before.any():
            rewards[before], terminated[before], truncated[before] = 0, False, False
            vec.reset(before)
        elif self.autoreset_mode is AutoresetMode.SAME_STEP and over.any():
            last, mask = self._observe(), vec.legal().view(np.int8)
            final = {
                "final_obs": np.array([last[lane] if over[lane] else None for lane in range(self.num_envs)] + [None], object)[:-1],
                "_final_obs": over,
                "final_info": {"action_mask": mask, "_action_mask": over},
                "_final_info": over,
            }
            vec.reset(over)
        return self._observe(), rewards, terminated, truncated, {**self._info(), **final}
