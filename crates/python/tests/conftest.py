"""Games for the tests. They lie in the folder `$GGP_GAMES`."""

import functools
import os
import pathlib

import pytest

import ggp

FOLDER = pathlib.Path(os.environ.get("GGP_GAMES", "games"))

#: All classes: one to three roles, by turns and at once, with chance, with hidden information.
GAMES = sorted(path.stem for path in FOLDER.glob("*.kif"))


@functools.cache
def game(name: str, reasoner: str = "auto") -> ggp.Game:
    return ggp.load(FOLDER / f"{name}.kif", reasoner=reasoner)


@pytest.fixture
def connect_four() -> ggp.Game:
    return game("connect_four")
