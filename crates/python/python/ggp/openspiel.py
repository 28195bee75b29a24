"""Games as games of OpenSpiel. It needs the extra `ggp[openspiel]`.

`load(game)` registers a game with OpenSpiel and gives its `pyspiel.Game`. The result is a game of turns: forced moves are
made at once, chance moves at chance nodes, and roles that choose at the same time act one after the other without
seeing what the others have chosen. Every state has information-state strings with perfect recall: what the player has
done and, in a game of hidden information, its percepts; else all joint moves. So their CFR, best responses and learners
run on it. Utilities are goals, from 0 to 100; there is no tensor in a game of hidden information.

States are evaluated one by one: it is for game theory, not for speed. `Game.batch` is for speed.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import pyspiel  # type: ignore[import-not-found]

from ggp._ggp import Game, State
from ggp._results import Equilibrium

#: Random playouts that find out what OpenSpiel must know beforehand.
_SAMPLES = 64
_MOST_STEPS = 10_000


def load(game: Game, *, constant_sum: bool | None = None, max_game_length: int | None = None) -> pyspiel.Game:
    """`game` as a game of OpenSpiel, registered under a name of its own: `pyspiel.load_game(name)` gives it, too.

    Args:
        game: The game. It needs a network.
        constant_sum: Whether the goals of all players have the same sum at every end. By default it holds if it does in
            random playouts.
        max_game_length: A bound of the number of decisions of an episode. By default twice that of random playouts.
    """
    name = "ggp_" + hashlib.sha256(game.text.encode()).hexdigest()[:16]
    if name in _plans:
        return pyspiel.load_game(name)
    players = [number for number in range(len(game.roles)) if number != game.chance]
    moves = [game.moves(role) for role in range(len(game.roles))]
    length, sums, is_simultaneous = _sampled(game, players)
    is_constant = constant_sum if constant_sum is not None else len(sums) == 1
    kind, has_chance = pyspiel.GameType, game.chance is not None
    game_type = kind(
        short_name=name,
        long_name=f"GDL {game.name}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION
        if game.is_hidden or is_simultaneous
        else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.CONSTANT_SUM if is_constant else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=len(players),
        min_num_players=len(players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=not game.is_hidden,
        provides_factored_observation_string=False,
    )
    arguments: dict[str, Any] = {"utility_sum": float(min(sums))} if is_constant else {}
    info = pyspiel.GameInfo(
        num_distinct_actions=max(len(moves[role]) for role in players),
        max_chance_outcomes=len(moves[game.chance]) if has_chance and game.chance is not None else 0,
        num_players=len(players),
        min_utility=0.0,
        max_utility=100.0,
        max_game_length=max_game_length or 2 * length,
        **arguments,
    )

    _plans[name] = _Plan(game, players, moves, game_type, info)
    # A class of its own, which can be found by its name, as OpenSpiel wants it.
    kind_of_game = type(name, (SpielGame,), {"NAME": name, "__module__": __name__})
    globals()[name] = kind_of_game
    pyspiel.register_game(game_type, kind_of_game)
    return pyspiel.load_game(name)


class _Plan(NamedTuple):
    """What a game of OpenSpiel is made from."""

    game: Game
    players: list[int]
    moves: list[tuple[str, ...]]
    kind: Any
    info: Any


_plans: dict[str, _Plan] = {}


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of OpenSpiel. `load` makes it."""

    NAME = ""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        plan = _plans[self.NAME]
        super().__init__(plan.kind, plan.info, params or {})

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        return Observer(_plans[self.get_type().short_name])


def _sampled(game: Game, players: list[int]) -> tuple[int, set[int], bool]:
    """From random playouts: the largest number of decisions, the sums of goals, and whether roles choose at once."""
    batch = game.batch(_SAMPLES, seed=1, max_steps=_MOST_STEPS)
    decisions = np.zeros(_SAMPLES, int)
    is_simultaneous = False
    while not (batch.terminated | batch.truncated).all():
        counts = [np.diff(batch.legal(role, "csr")[0]) > 1 for role in range(len(game.roles))]
        decisions += np.sum(counts, axis=0)
        is_simultaneous |= bool((np.sum([counts[role] for role in players], axis=0) > 1).any())
        batch.step()
    sums = {int(one) for one in batch.goals[:, players].astype(int).sum(axis=1)}
    return max(1, int(decisions.max())), sums, is_simultaneous


def _turn(own: str, seen: list[str]) -> str:
    """What a role knows of a turn: its own move and its percepts, which are all moves in an open game."""
    return f"{own} sees {' '.join(seen)}"


def _information(role: str, turns: list[str]) -> str:
    return "; ".join([f"{role}:", *turns])


def policy(spiel: pyspiel.Game, equilibrium: Equilibrium) -> Any:
    """The strategies of `equilibrium`, which `Game.equilibrium` has computed, as a `TabularPolicy` of OpenSpiel.

    Args:
        spiel: The game, as `load` gives it. The table has all its information states, so it must be small.
        equilibrium: The strategies.
    """
    from open_spiel.python.policy import TabularPolicy  # type: ignore[import-not-found,import-untyped,unused-ignore]

    plan = _plans[spiel.get_type().short_name]
    table = TabularPolicy(spiel)
    for role, history, moves in equilibrium.strategy:
        turns = [_turn(own, seen) for own, *seen in history]
        shares = table.policy_for_key(_information(role, turns))
        of_role = plan.moves[plan.game.roles.index(role)]
        shares[:] = 0
        for move, share in moves.items():
            shares[of_role.index(move)] = share
    return table


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel: a state of the game, and the choices that wait for those of other roles."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        # OpenSpiel copies states with their attributes, and games without: the plan is found by the name.
        self._name = game.get_type().short_name
        self._state: State = self._plan.game.initial_state()
        self._pending: dict[int, int] = {}
        self._past: list[list[str]] = [[] for _ in self._plan.players]
        self._advance()

    @property
    def _plan(self) -> _Plan:
        return _plans[self._name]

    def _advance(self) -> None:
        """Makes joint moves as long as nobody has to choose."""
        game = self._plan.game
        while True:
            self._is_over = self._state.is_terminal
            if self._is_over:
                return
            self._legal = [self._state.legal(role) for role in range(len(game.roles))]
            if not all(self._legal):
                # A role without a legal move ends the game, as in matches.
                self._is_over = True
                return
            choosing = (role for role, legal in enumerate(self._legal) if len(legal) > 1 and role not in self._pending)
            # Chance first: its moves must not depend on those of the players.
            self._turn: Any = min(choosing, key=lambda role: (role != game.chance, role), default=None)
            if self._turn is not None:
                return
            joint = [
                self._plan.moves[role][self._pending[role]] if role in self._pending else legal[0]
                for role, legal in enumerate(self._legal)
            ]
            after = self._state.next(joint)
            for player, role in enumerate(self._plan.players):
                if game.is_hidden:
                    seen = self._state.percepts(joint, role)
                else:
                    seen = [f"(does {name} {move})" for name, move in zip(game.roles, joint)]
                self._past[player].append(_turn(joint[role], seen))
            self._state, self._pending = after, {}

    def current_player(self) -> int:
        if self._is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self._turn == self._plan.game.chance:
            return int(pyspiel.PlayerId.CHANCE)
        return int(self._plan.players.index(self._turn))

    def _legal_actions(self, player: int) -> list[int]:
        index = {text: action for action, text in enumerate(self._plan.moves[self._turn])}
        return [index[text] for text in self._legal[self._turn]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        actions = self._legal_actions(-1)
        return [(action, 1 / len(actions)) for action in actions]

    def _apply_action(self, action: int) -> None:
        self._pending[self._turn] = action
        self._advance()

    def _action_to_string(self, player: int, action: int) -> str:
        role: Any = self._plan.game.chance if player == pyspiel.PlayerId.CHANCE else self._plan.players[player]
        return str(self._plan.moves[role][action])

    def is_terminal(self) -> bool:
        return self._is_over

    def returns(self) -> list[float]:
        if not self._is_over:
            return [0.0] * len(self._plan.players)
        goals = self._state.goals
        return [float(goals[role] or 0) for role in self._plan.players]

    def information(self, player: int) -> str:
        """What the player knows, with perfect recall."""
        role = self._plan.players[player]
        own = [self._plan.moves[role][self._pending[role]]] if role in self._pending else []
        return _information(self._plan.game.roles[role], [*self._past[player], *own])

    def facts(self) -> np.ndarray[Any, Any]:
        """The facts of the state, one item each."""
        bits = np.unpackbits(self._state.pack().view(np.uint8), bitorder="little")
        return bits[: len(self._plan.game.fluents)]

    def __str__(self) -> str:
        pending = [f"{self._plan.game.roles[role]}: {self._plan.moves[role][at]}" for role, at in self._pending.items()]
        return "\n".join([str(self._state), *pending])


class Observer:
    """What a player observes, as OpenSpiel asks for it."""

    def __init__(self, plan: _Plan) -> None:
        self._is_hidden = plan.game.is_hidden
        size = 0 if self._is_hidden else len(plan.game.fluents)
        self.tensor = np.zeros(size, np.float32)
        self.dict = {} if self._is_hidden else {"facts": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        if not self._is_hidden:
            self.tensor[:] = state.facts()

    def string_from(self, state: SpielState, player: int) -> str:
        return state.information(player)
