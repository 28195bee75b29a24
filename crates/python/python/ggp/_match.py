"""Matches between players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ggp._ggp import Game
from ggp._results import Matches


def match(
    game: Game,
    players: Sequence[str] | Mapping[str, str],
    games: int = 100,
    *,
    seed: int = 1,
    openings: int = 0,
    start_clock: float = 0.0,
    play_clock: float | None = None,
    concurrency: int = 1,
) -> Matches:
    """Lets players meet, each in every seat, and compares them, as the command `ggp match` does.

    Args:
        game: The game.
        players: The players, such as `"mcts:iterations=100"`, `"random"`, or `"http://localhost:9147"`; `ggp help players`
            lists all kinds. A dict gives them names.
        games: The number of matches. It is rounded up, so that every player has every seat.
        seed: The seed of openings, players and chance.
        openings: The number of random joint moves with which each match begins, the same for all seatings.
        start_clock: Seconds before the first move.
        play_clock: Seconds for each move. By default 1, and no limit if all players end by themselves.
        concurrency: The number of matches that are played at once.

    Raises:
        ValueError: If a text describes no player, or a player cannot play the game.

    >>> import ggp
    >>> game = ggp.load('''(role a) (role b) (init start) (legal a stay) (legal a go) (legal b wait) (next over)
    ...     (<= (next won) (does a go)) (<= terminal (true over))
    ...     (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))
    ...     (<= (goal b 0) (true won)) (<= (goal b 100) (not (true won)))''')
    >>> found = ggp.match(game, {"search": "mcts:iterations=20", "chance": "random"}, games=20)
    >>> (one,) = found.comparisons
    >>> one.players, one.wins > one.losses
    (('search', 'chance'), True)
    """
    named = dict(players) if isinstance(players, Mapping) else {}
    if not isinstance(players, Mapping):
        for spec in players:
            # Two equal players need two names.
            name = spec if spec not in named else f"{spec} ({sum(one == spec for one in named.values()) + 1})"
            named[name] = spec
    return game._matches(
        list(named.items()),
        games,
        seed=seed,
        openings=openings,
        start_clock=start_clock,
        play_clock=play_clock,
        concurrency=concurrency,
    )
