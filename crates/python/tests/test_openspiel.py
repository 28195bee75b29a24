"""OpenSpiel's own tests and solvers on games of ours."""

import pytest
from conftest import GAMES, game

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability  # noqa: E402

import ggp  # noqa: E402
from ggp import openspiel  # noqa: E402

#: Both roles choose at once, and the row takes what the matrix says.
MATRIX = """
    (role row) (role column) (init open) (next over) (<= terminal (true over))
    (<= (legal row ?r) (pays ?r ?c ?goal)) (<= (legal column ?c) (pays ?r ?c ?goal))
    (<= (next (got ?goal)) (does row ?r) (does column ?c) (pays ?r ?c ?goal))
    (<= (goal row ?goal) (true (got ?goal))) (<= (goal column ?rest) (true (got ?goal)) (rest ?goal ?rest))
    (<= (goal ?role 0) (role ?role) (not (true over)))
    (pays top left 70) (pays top middle 20) (pays top right 40)
    (pays centre left 10) (pays centre middle 80) (pays centre right 30)
    (pays bottom left 40) (pays bottom middle 30) (pays bottom right 60)
    (rest 70 30) (rest 20 80) (rest 40 60) (rest 10 90) (rest 80 20) (rest 30 70) (rest 60 40)"""

#: The holder alone sees a card of three, claims that it is high or yields, and the other one doubts or believes.
BLUFF = """
    (role holder) (role other) (role random)
    (card low) (card middle) (card high) (init (stage deal))
    (<= (legal random (deal ?c)) (card ?c) (true (stage deal))) (<= (legal random wait) (not (true (stage deal))))
    (<= (legal holder claim) (true (stage claim))) (<= (legal holder yield) (true (stage claim)))
    (<= (legal holder wait) (not (true (stage claim))))
    (<= (legal other doubt) (true (stage doubt))) (<= (legal other believe) (true (stage doubt)))
    (<= (legal other wait) (not (true (stage doubt))))
    (<= (sees holder (got ?c)) (does random (deal ?c))) (<= (sees other claimed) (does holder claim))
    (<= (next (has ?c)) (does random (deal ?c))) (<= (next (has ?c)) (true (has ?c)))
    (<= (next (stage claim)) (true (stage deal))) (<= (next (stage doubt)) (does holder claim))
    (<= (next (won 30)) (does holder yield)) (<= (next (won 70)) (does other believe))
    (<= (next (won 100)) (does other doubt) (true (has high))) (<= (next (won 60)) (does other doubt) (true (has middle)))
    (<= (next (won 0)) (does other doubt) (true (has low)))
    (<= terminal (true (won ?g))) (<= (goal holder ?g) (true (won ?g))) (<= (goal other ?r) (true (won ?g)) (rest ?g ?r))
    (<= over (true (won ?g))) (<= (goal ?role 0) (role ?role) (distinct ?role random) (not over)) (goal random 0)
    (rest 0 100) (rest 30 70) (rest 60 40) (rest 70 30) (rest 100 0)"""


@pytest.mark.parametrize("name", GAMES)
def test_random_games_are_consistent(name):
    spiel = openspiel.load(game(name))
    assert str(openspiel.load(game(name))) == str(spiel)
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)


def test_cfr_finds_the_value_of_poker():
    poker = openspiel.load(game("kuhn_poker"))
    solver = cfr.CFRPlusSolver(poker)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert exploitability.nash_conv(poker, policy) < 1
    first, second = expected_game_score.policy_value(poker.new_initial_state(), [policy, policy])
    # The first player loses a share of 1 / 18 of the ante; goals go from 0 to 100 over a stake of four.
    assert first == pytest.approx(48.61, abs=0.2)
    assert first + second == pytest.approx(100)


#: Games, and how far apart the smallest and the largest goal of a role are.
SOLVED = {
    "bluff": (lambda: ggp.load(BLUFF), 100),
    "kuhn_poker": (lambda: game("kuhn_poker"), 100),
    "matrix": (lambda: ggp.load(MATRIX), 70),
    "rock_paper_scissors": (lambda: game("rock_paper_scissors"), 100),
}


@pytest.mark.parametrize("target", [0.2, 1e-4])
@pytest.mark.parametrize("name", SOLVED)
def test_exploitability_is_that_of_our_solver(name, target):
    load, goals = SOLVED[name]
    one = load()
    spiel, ours = openspiel.load(one), one.equilibrium(exploitability=target)
    policy = openspiel.policy(spiel, ours)
    # Theirs is the sum of what both players gain; ours is the mean, as a share of the range of goals.
    theirs = exploitability.nash_conv(spiel, policy) / 2 / goals
    assert theirs == pytest.approx(ours.exploitability, abs=1e-9)
    assert 0 <= ours.exploitability <= target
    values = expected_game_score.policy_value(spiel.new_initial_state(), [policy, policy])
    assert list(values) == pytest.approx(ours.goals, abs=1e-6)
