"""The results of computations about games."""

from __future__ import annotations

from typing import NamedTuple


class Proof(NamedTuple):
    """What a role can make sure of."""

    low: int
    """The proven lower bound of the goal, from 0 to 100."""
    high: int
    """The proven upper bound of the goal."""
    best: str | None
    """A move that makes sure of the lower bound, or None."""
    states: int
    """The number of states that were expanded."""


class Behaviour(NamedTuple):
    """The strategy in one information set."""

    role: str
    """The role that chooses."""
    history: list[list[str]]
    """What it knows: for each turn so far, its own move and then its percepts."""
    moves: dict[str, float]
    """The probability of each legal move."""


class Equilibrium(NamedTuple):
    """Strategies of two roles of which neither gains by another one."""

    roles: list[str]
    """The two roles."""
    goals: list[float]
    """Their expected goals, from 0 to 100."""
    exploitability: float
    """What a role gains on average by a best response, as a share of the range of goals."""
    iterations: int
    """The number of iterations of CFR+."""
    strategy: list[Behaviour]
    """The strategy in each information set, in the order of the turns."""


class PlannedMove(NamedTuple):
    """A move of best play."""

    history: list[list[str]]
    """What the role knows: for each turn so far, its own move and then its percepts."""
    move: str
    """The move."""


class BestPlay(NamedTuple):
    """The best play of one role against chance."""

    value: float
    """The expected goal, from 0 to 100."""
    beliefs: int
    """The number of beliefs that were evaluated."""
    states: int
    """The number of different states."""
    plan: list[PlannedMove]
    """The moves, except where the role has one legal move."""


class Candidate(NamedTuple):
    """A move that a search has considered."""

    move: str
    """The move."""
    visits: int
    """How often the search has visited it."""
    score: float | None
    """The mean goal of the role after it, from 0 to 100; None without visits."""
    proven: int | None
    """The goal of the role after it, if the search has proved it."""


class Analysis(NamedTuple):
    """The ratings of the moves in a state by a search."""

    moves: dict[str, list[Candidate]]
    """For each role its moves, best first."""
    iterations: int
    """The number of iterations of the search."""
    playouts: int
    """The number of playouts."""
    nodes: int
    """The number of nodes of its tree; 0 in a game of hidden information."""
    principal: list[list[str]]
    """The joint moves that the search expects. Empty in a game of hidden information."""


class Estimate(NamedTuple):
    """A value with its 95 % confidence interval."""

    value: float
    """The value."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


class Generation(NamedTuple):
    """The test of one generation of self-play."""

    matches: int
    """The matches played so far."""
    descents: int
    """The descents of their searches."""
    positions: int
    """The positions that train the policy."""
    by_history: float
    """The share of the variance among sibling moves that the history of moves explains, in matches held out for this."""
    by_policy: float
    """The share that the policy explains."""
    passes: bool
    """Whether the policy predicts better than the history, so that searches use it."""


class MatchResult(NamedTuple):
    """The result of one match."""

    players: list[str | None]
    """The player of each role; None for chance."""
    goals: list[int | None]
    """The goals, from 0 to 100; None where there is none."""
    steps: int
    """The number of joint moves."""
    ending: str
    """How it ended: `"terminal"`, or why it did not come to an end."""


class Comparison(NamedTuple):
    """Two players that have met."""

    players: tuple[str, str]
    """The two players. All other members are from the side of the first."""
    score: Estimate | None
    """The expected score: 1 for a win, 1/2 for a draw, 0 for a loss. It comes from pairs of matches with swapped seats."""
    wins: int
    """The number of matches that the first has won."""
    draws: int
    """The number of matches in which both got the same goal."""
    losses: int
    """The number of matches that the first has lost."""


class Matches(NamedTuple):
    """The matches of some players."""

    goals: dict[str, Estimate | None]
    """The mean goal of each player over all its roles, from 0 to 100."""
    comparisons: list[Comparison]
    """Each two players that have met."""
    results: list[MatchResult]
    """The matches, as they ended."""

    def __str__(self) -> str:
        lines = [f"{len(self.results)} matches"]
        lines += [f"{player}: mean goal {goal}" for player, goal in self.goals.items()]
        for (first, second), score, wins, draws, losses in self.comparisons:
            lines.append(f"{first} against {second}: score {score}; {wins} wins, {draws} draws, {losses} losses")
        return "\n".join(lines)
