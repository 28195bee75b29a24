"""Searches with a function for policies and values."""

import numpy as np
import pytest
from conftest import game

import ggp


def flat(facts, mask, logits, values):
    """Knows nothing."""
    assert facts.dtype == bool and mask.dtype == bool and mask.any(axis=2).all()
    logits[:], values[:] = 0, 0.5


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_search_wins_against_random_play(root):
    tic_tac_toe = game("tic_tac_toe")
    search = ggp.search(tic_tac_toe, flat, 64, simulations=100, root=root, seed=1)
    batch = tic_tac_toe.batch(40, seed=2)
    player = batch.current_player[0]
    while not batch.terminated.all():
        found = search.run(batch)
        visits = found.visits[~batch.terminated]
        assert (visits.sum(axis=2) == 100).all()
        assert np.allclose(found.policy[~batch.terminated].sum(axis=2), 1, atol=1e-3)
        actions = np.where(batch.current_player == player, found.actions[:, player], batch.sample()[:, 1 - player])
        batch.step(actions)
    assert batch.goals[:, player].mean() > (90 if root == "puct" else 80)


def test_results_depend_on_neither_the_batch_nor_the_form_of_the_answer(connect_four):
    states = connect_four.batch(30, seed=3)
    for _ in range(8):
        states.step()

    def returned(facts, mask, logits, values):
        weights = np.sin(np.arange(mask.shape[2]))
        return np.broadcast_to(weights, mask.shape).astype(np.float64), facts[:, :2].mean(axis=1, keepdims=True).repeat(2, 1)

    def filled(facts, mask, logits, values):
        logits[:], values[:] = returned(facts, mask, logits, values)

    one = ggp.search(connect_four, returned, 7, simulations=20).run(states)
    two = ggp.search(connect_four, filled, 256, simulations=20).run(states.pack())
    three = ggp.search(connect_four, filled, 256, simulations=20).run([states.state(lane) for lane in range(30)])
    for a, b, c in zip(one, two, three):
        assert np.array_equal(a, b) and np.array_equal(b, c)


def test_leaves_come_as_planes_too(connect_four):
    states = connect_four.batch(20, seed=3)
    for _ in range(6):
        states.step()
    rows, planes = [], []
    by_rows = lambda facts, mask, logits, values: (rows.append(facts.sum(axis=1)), flat(facts, mask, logits, values))[1]

    def by_planes(facts, mask, logits, values):
        assert facts.dtype == np.float32 and facts.shape[1:] == (len(connect_four.planes), 6, 7)
        on_board = ["?x" in name for name in connect_four.planes]
        planes.append(facts[:, on_board].sum(axis=(1, 2, 3)) + facts[:, np.logical_not(on_board), 0, 0].sum(axis=1))
        logits[:], values[:] = 0, 0.5

    one = ggp.search(connect_four, by_rows, 7, simulations=20).run(states)
    two = ggp.search(connect_four, by_planes, 7, simulations=20, layout="planes").run(states)
    assert all(np.array_equal(a, b) for a, b in zip(one, two))
    assert len(rows) == len(planes) and all((a == b).all() for a, b in zip(rows, planes))
    with pytest.raises(ValueError, match="layout"):
        ggp.search(connect_four, flat, layout="facts")


def test_a_policy_steers_and_illegal_actions_get_nothing(connect_four):
    start = connect_four.initial_state()
    role = connect_four.roles.index(start.choosing[0])

    def steering(facts, mask, logits, values):
        logits[:], values[:] = 0, 0.5
        logits[:, role, 3] = 20

    found = ggp.search(connect_four, steering, simulations=30).run(start)
    assert found.actions[0, role] == 3 and found.visits[0, role, 3] == 30
    legal = set(start.legal(role))
    for action, text in enumerate(connect_four.moves(role)):
        assert text in legal or found.visits[0, role, action] == 0


def test_what_is_wrong_is_said(connect_four):
    with pytest.raises(ValueError, match="root"):
        ggp.search(connect_four, flat, root="best")
    with pytest.raises(ValueError, match="at least 1"):
        ggp.search(connect_four, flat, batch=0)
    with pytest.raises(ValueError, match="too many"):
        ggp.search(connect_four, flat, simulations=2**30).run(connect_four.initial_state())
    poker = game("kuhn_poker")
    with pytest.raises(ValueError, match="none knows the state"):
        ggp.search(poker, flat).run(poker.initial_state())
    wrong = lambda facts, mask, logits, values: (logits[:, :, 1:], values)
    with pytest.raises(ValueError, match="logits must have the shape"):
        ggp.search(connect_four, wrong).run(connect_four.initial_state())
    for rows in (0, 2):
        other = lambda facts, mask, logits, values: (logits[:1].repeat(rows, axis=0), values[:1].repeat(rows, axis=0))
        with pytest.raises(ValueError, match=rf"logits must have the shape \(1, .*, not \({rows}, "):
            ggp.search(connect_four, other).run(connect_four.initial_state())
    half = lambda facts, mask, logits, values: (logits[: len(mask) // 2], values[: len(mask) // 2])
    with pytest.raises(ValueError, match="logits must have the shape"):
        ggp.search(connect_four, half, 8).run(connect_four.batch(8))
    with pytest.raises(ZeroDivisionError):
        ggp.search(connect_four, lambda *_: 1 / 0).run(connect_four.initial_state())
    with pytest.raises(ggp.NoNetworkError):
        ggp.search(game("connect_four", "datalog"), flat)
