"""Players of your own, served to game managers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ggp import _ggp
from ggp._ggp import Game, State


class Player(Protocol):
    """A player in one match. An exception costs its move, and the traceback goes to standard error."""

    def start(self, game: Game, role: str, seconds: float) -> None:
        """Prepares for the match within `seconds`."""

    def choose(self, state: State, joint: list[str] | None, seconds: float) -> str:
        """A legal move in `state` within `seconds`. `joint` is the last joint move, None at first. It is asked for each
        turn, also where it has one legal move.
        """

    def stop(self) -> None:
        """Ends the match."""


def _tell(address: str) -> None:
    print(f"listening on {address}", flush=True)


def serve(
    make: Callable[[], Player],
    *,
    port: int = 9147,
    bind: str = "127.0.0.1",
    name: str = "ggp",
    matches: int = 4,
    margin: float = 0.2,
    origins: Sequence[str] = (),
    listening: Callable[[str], object] = _tell,
) -> None:
    """Serves players to game managers, by the GGP protocol over HTTP, until Ctrl-C. `ggp host`, `ggp match` and all other
    managers reach them. Games of hidden information are refused.

    Args:
        make: Makes the player of a match.
        port: The port; 0 for any free port.
        bind: The address to listen on; `"0.0.0.0"` for all addresses.
        name: The name that the player gives itself.
        matches: The largest number of matches at once.
        margin: Answers leave this many seconds before the end of the clock.
        origins: The origins of pages that may send messages from a browser, such as `"http://manager.example"`; `"*"` for
            every page.
        listening: Called with the address when the port is open.
    """
    _ggp.serve(
        make,
        listening,
        port=port,
        bind=bind,
        name=name,
        matches=matches,
        margin=margin,
        origins=list(origins),
    )
