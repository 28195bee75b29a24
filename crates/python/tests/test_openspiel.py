"""OpenSpiel's own tests and solvers on games of ours."""

import pytest
from conftest import GAMES, game

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import cfr, exploitability  # noqa: E402

from ggp import openspiel  # noqa: E402


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
    from open_spiel.python.algorithms import expected_game_score

    first, second = expected_game_score.policy_value(poker.new_initial_state(), [policy, policy])
    # The first player loses a share of 1 / 18 of the ante; goals go from 0 to 100 over a stake of four.
    assert first == pytest.approx(48.61, abs=0.2)
    assert first + second == pytest.approx(100)
