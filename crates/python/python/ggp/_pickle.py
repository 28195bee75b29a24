"""How games and states are unpickled. A process builds each game once, however many pickles name it."""

from __future__ import annotations

import weakref

from ggp._ggp import Game, State

_games: weakref.WeakValueDictionary[tuple[bytes, str, bool], Game] = weakref.WeakValueDictionary()


def game(name: str, text: bytes, reasoner: str, strict: bool) -> Game:
    """The game with the rules `text`."""
    key = (text, reasoner, strict)
    known = _games.get(key)
    if known is None:
        known = Game._of(name, text, reasoner, strict)
        _games[key] = known
    return known


def state(game: Game, facts: list[str]) -> State:
    """The state of `game` in which `facts` hold."""
    return game.state(facts)
