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


@pytest.mark.parametrize("opponents", ["random", "mcts:iterations=40"])
@pytest.mark.parametrize("role", [0, 1])
def test_a_role_sees_its_percepts_alone(role, opponents):
    poker = game("kuhn_poker")
    vec = ggp.make_vec(poker, 30, role, opponents, seed=4)
    again = ggp.make_vec(poker, 30, role, opponents, seed=4, threads=2)
    percepts, moves = poker.percepts(role), poker.moves(role)
    assert vec.columns == (*percepts, *(f"(does {move})" for move in moves))
    cards, last = [set() for _ in range(30)], np.full(30, -1)
    while not vec.over.all():
        live, seen, mask = ~vec.over, vec.observe(), vec.legal()
        assert (seen == again.observe()).all() and seen.shape == (30, len(vec.columns))
        for lane in np.flatnonzero(live):
            own = [vec.columns[at] for at in np.flatnonzero(seen[lane])]
            cards[lane].update(one for one in own if one.startswith("(dealt"))
            done = [one for one in own if one.startswith("(does")]
            assert done == ([f"(does {moves[last[lane]]})"] if last[lane] >= 0 else [])
            assert mask[lane].sum() > 1 or set(own) - set(done)
        assert (mask.any(axis=1) == live).all()
        actions = mask.argmax(axis=1)
        last[live] = actions[live]
        rewards, terminated, _ = vec.step(actions)
        again.step(actions)
        assert ((rewards > 0) <= terminated).all()
    assert all(len(own) == 1 for own in cards) and len(set.union(*cards)) == 3
    out = np.ones((30, len(vec.columns)), bool)
    assert vec.observe(out) is out and (out == again.observe()).all()


def test_searching_opponents_bluff_less_than_random_ones():
    """The first player always bets and calls. A search folds to it with a jack, and wins more with a king."""
    def reward(opponents):
        vec = ggp.make_vec(game("kuhn_poker"), 200, "first", opponents, seed=1)
        total = np.zeros(200, np.float32)
        while not vec.over.all():
            total += vec.step(vec.legal().argmax(axis=1))[0]
        return total.mean()

    assert reward("mcts:iterations=100") < reward("random") - 0.05


def test_steps_without_searching_opponents_are_refused():
    vec = ggp.make_vec(game("kuhn_poker"), 3, "first", "mcts:iterations=5")
    vec.batch.step()
    with pytest.raises(ValueError, match="have not seen all steps"):
        vec.step(vec.legal().argmax(axis=1))
    with pytest.raises(ValueError, match="`mast` does not apply"):
        ggp.make_vec(game("kuhn_poker"), 3, "first", "mcts:iterations=5,mast=off")


def test_the_only_player_needs_no_name():
    vec = ggp.make_vec(game("eight_puzzle"), 3)
    assert vec.game.roles[vec.role] != "random"
    with pytest.raises(ValueError, match="name the role"):
        ggp.make_vec(game("nim"), 3)
    with pytest.raises(ValueError, match="no role"):
        ggp.make_vec(game("nim"), 3, "nobody")
