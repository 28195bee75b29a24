"""One role against opponents inside."""

import numpy as np
import pytest
from conftest import game

import ggp


def total(role, opponents, threads=1):
    """The rewards of a role that makes its first legal action, summed over forty episodes."""
    vec = ggp.make_vec(game("tic_tac_toe"), 40, role, opponents, seed=3, threads=threads)
    rewards = np.zeros(40, np.float32)
    while not vec.over.all():
        mask = vec.legal()
        assert (mask.any(axis=1) == ~vec.over).all()
        assert (vec.batch.current_player[~vec.over] == vec.role).all()
        reward, terminated, truncated = vec.step(mask.argmax(axis=1))
        assert ((reward > 0) <= terminated).all() and not truncated.any()
        rewards += reward
    assert np.allclose(rewards, vec.batch.goals[:, vec.role] / 100)
    return rewards.sum()


@pytest.mark.parametrize("role", [0, 1])
def test_a_search_is_a_stronger_opponent(role):
    assert total(role, "mcts:iterations=100") < total(role, "random")
    assert total(role, "mcts:iterations=100") == total(role, "mcts:iterations=100", threads=2)


def test_lanes_begin_anew():
    vec = ggp.make_vec(game("connect_four"), 50, "yellow", seed=1)
    while not vec.over.any():
        vec.step(vec.legal().argmax(axis=1))
    over = vec.over
    goals = vec.batch.goals
    vec.reset(over)
    assert not vec.over.any() and (vec.batch.episodes == over).all()
    assert (vec.batch.goals[~over] == goals[~over]).all()
    assert vec.legal().any(axis=1).all()
    assert vec.observe().shape == (50, len(vec.game.fluents))


def test_a_lane_plays_by_its_own_seed():
    many = ggp.make_vec(game("connect_four"), 5, "red")
    many.restart(7)
    alone = ggp.make_vec(game("connect_four"), 1, "red")
    for lane in range(5):
        alone.restart(7 + lane)
        assert (alone.observe()[0] == many.observe()[lane]).all()
    many.step(many.legal().argmax(axis=1))
    alone.step(alone.legal().argmax(axis=1))
    assert (alone.observe()[0] == many.observe()[4]).all()


def test_the_only_player_needs_no_name():
    vec = ggp.make_vec(game("eight_puzzle"), 3)
    assert vec.game.roles[vec.role] != "random"
    with pytest.raises(ValueError, match="name the role"):
        ggp.make_vec(game("nim"), 3)
    with pytest.raises(ValueError, match="no role"):
        ggp.make_vec(game("nim"), 3, "nobody")
