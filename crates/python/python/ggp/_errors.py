"""The exceptions of the package."""

from __future__ import annotations

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One finding about rules."""

    severity: str
    """`"error"` or `"warning"`."""
    code: str
    """A stable name of the kind of finding, such as `unsafe-variable`."""
    line: int
    """The line of the rulesheet, from 1."""
    message: str
    """What is wrong, in one line."""
    help: str | None
    """How to mend it, if that is known."""


class GgpError(Exception):
    """Any error of this package about games."""


class RulesError(GgpError, ValueError):
    """Rules that cannot be played. It prints every finding with the lines of the rulesheet, as `ggp check` does."""

    def __init__(self, message: str, diagnostics: list[tuple[str, str, int, str, str | None]] | None = None) -> None:
        super().__init__(message, diagnostics or [])

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All findings, in the order of the text."""
        return [Diagnostic(*finding) for finding in self.args[1]]

    def __str__(self) -> str:
        return str(self.args[0])


class IllegalMoveError(GgpError, ValueError):
    """A move or an action that is not legal, or that is missing."""


class NoNetworkError(GgpError, NotImplementedError):
    """The game has no network, which the call needs. `Game.fallback` says why."""


class EvaluationError(GgpError, RuntimeError):
    """The rules cannot be evaluated: a term or a relation exceeds a bound, or a machine cannot be built."""


class CommandError(GgpError, ValueError):
    """Arguments of the command `ggp` that cannot be obeyed, or players that cannot take part. `code` is the exit code of the
    command.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message, code)

    @property
    def code(self) -> int:
        """The exit code."""
        return int(self.args[1])

    def __str__(self) -> str:
        return str(self.args[0])
