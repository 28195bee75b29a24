"""Batches: they agree with single states of the interpreter and with `ggp bench`, and refuse what is wrong."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from conftest import FOLDER, game

import ggp

#: Games of one, two and three roles; by turns, at once, and with chance.
GAMES = [
    "connect_four",
    "eight_puzzle",
    "kuhn_poker",
    "monty_hall",
    "pawn_whopping",
    "rock_paper_scissors",
    "skirmish",
    "sprint",
    "three_player_tic_tac_toe",
]


def bench(name, playouts, seed):
    """What `ggp bench` counts on the interpreter."""
    call = ["ggp", "bench", FOLDER / f"{name}.kif", "--playouts", str(playouts), "--seed", str(seed), "--json"]
    said = subprocess.run([*call, "--reasoner", "datalog"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


@pytest.mark.parametrize("name", GAMES)
def test_playouts_are_those_of_the_command(name):
    wanted = bench(name, 150, 3)
    for threads in (1, 3):
        means, steps, checksum, unfinished = game(name).playouts(150, seed=3, threads=threads)
        assert (steps, checksum, unfinished) == (wanted["steps"], wanted["checksum"], 0)
        assert np.allclose(means[0] * 150, wanted["goal_sums"])


@pytest.mark.parametrize("name", GAMES)
def test_the_first_episodes_are_playouts_too(name):
    wanted = bench(name, 150, 3)
    batch = game(name).batch(150, seed=3)
    goals = batch.rollout()
    assert batch.steps.sum() == wanted["steps"]
    assert goals.sum(axis=0).tolist() == wanted["goal_sums"]
    assert batch.terminated.all() and not batch.truncated.any()
    slow = game(name, "datalog").batch(40, seed=3)
    assert (slow.rollout() == goals[:40]).all()
    assert (slow.steps == batch.steps[:40]).all()


@pytest.mark.parametrize("name", GAMES)
def test_masks_and_facts_are_those_of_the_interpreter(name):
    fast, slow = game(name), game(name, "datalog")
    fluents, moves = fast.fluents, [fast.moves(role) for role in fast.roles]
    batch = fast.batch(700, seed=9)
    for step in range(24):
        rows = batch.observe()
        masks = [batch.legal(role) for role in fast.roles]
        turns, mask_of_turns, over = batch.current_player, batch.legal(), batch.terminated
        for lane in (0, step, 511, 512, 699):
            state = slow.state([fluents[at] for at in np.flatnonzero(rows[lane])])
            assert state == batch.state(lane)
            assert state.is_terminal == over[lane]
            legal = [state.legal(role) for role in slow.roles]
            for role, own in enumerate(legal):
                assert [moves[role][at] for at in np.flatnonzero(masks[role][lane])] == own
            choosing = [role for role, own in enumerate(legal) if len(own) > 1 and role != fast.chance]
            if len(choosing) == 1:
                assert turns[lane] == choosing[0]
            if len(choosing) > 1 or over[lane]:
                assert turns[lane] == -1 and not mask_of_turns[lane].any()
            else:
                own = masks[turns[lane]][lane]
                assert (mask_of_turns[lane][: len(own)] == own).all()
                assert not mask_of_turns[lane][len(own) :].any()
        batch.step(batch.sample())
        rewards, goals = batch.rewards, batch.goals
        ended = batch.terminated & ~over
        assert np.allclose(rewards[ended], goals[ended] / 100)
        assert not rewards[~ended].any()
        batch.reset_ended()


def test_layouts_say_the_same(connect_four):
    batch = connect_four.batch(1100, seed=2)
    for _ in range(9):
        batch.step()
    rows = batch.observe()
    assert rows.shape == (1100, len(connect_four.fluents)) and rows.dtype == bool
    assert (batch.observe("facts") == rows.T).all()
    assert (batch.observe(dtype="uint8") == rows).all()
    floats = batch.observe(dtype="float32")
    assert floats.dtype == np.float32 and (floats == rows).all()
    bits = np.unpackbits(batch.pack().view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, : rows.shape[1]] == rows).all()
    mask = batch.legal("red")
    bits = np.unpackbits(batch.legal("red", "packed").view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, : mask.shape[1]] == mask).all()
    begins, actions = batch.legal("red", "csr")
    assert begins.dtype == np.int64 and actions.dtype == np.int32
    assert (begins == np.concatenate([[0], mask.sum(axis=1).cumsum()])).all()
    assert (actions == np.nonzero(mask)[1]).all()
    assert (batch.observation == rows).all()
    assert (batch.legal_action_mask == batch.legal()).all()
    assert connect_four.unpack(batch.pack()[:3]) == [batch.state(lane) for lane in range(3)]


def board_of(name):
    """A game, a batch after some steps, and its planes."""
    one = game(name)
    batch = one.batch(600, seed=4)
    for _ in range(5):
        batch.step()
    return one, batch, batch.observe("planes")


@pytest.mark.parametrize("name", ["breakthrough_holes", "connect_four", "english_draughts", "hex", "tic_tac_toe"])
def test_each_fact_is_in_one_plane(name):
    one, batch, planes = board_of(name)
    rows, names = batch.observe(), one.planes
    assert planes.dtype == bool and planes.shape[:2] == (600, len(names))
    height, width = planes.shape[2:]
    on_board = [at for at, plane in enumerate(names) if "?x" in plane]
    beside = [at for at, plane in enumerate(names) if "?x" not in plane]
    assert on_board and names[: len(on_board)] == tuple(names[at] for at in on_board)
    # A fact beside the board sets its plane; the others are counted square by square.
    for at in beside:
        held = rows[:, one.fluents.index(names[at])]
        assert (planes[:, at] == held[:, None, None]).all()
    assert (planes[:, on_board].sum(axis=(1, 2, 3)) + planes[:, beside, 0, 0].sum(axis=1) == rows.sum(axis=1)).all()
    # Two lanes with different facts have different planes.
    assert len(np.unique(planes.reshape(600, -1), axis=0)) == len(np.unique(rows, axis=0))
    floats = batch.observe("planes", "float32")
    assert floats.dtype == np.float32 and (floats == planes).all()
    assert batch.observe("planes", out=np.ones_like(planes)).tobytes() == planes.tobytes()
    assert (one.batch(600, seed=4, threads=2).observe("planes") == one.batch(600, seed=4).observe("planes")).all()


def test_planes_show_the_board_as_it_is_drawn():
    one, batch, planes = board_of("tic_tac_toe")
    assert planes.shape[2:] == (3, 3)
    for lane in range(40):
        wanted = np.zeros(planes.shape[1:], bool)
        for text in batch.state(lane).facts:
            relation, *arguments = text.strip("()").split()
            if relation == "cell":
                x, y, mark = arguments
                wanted[one.planes.index(f"(cell ?x ?y {mark})"), 3 - int(y), int(x) - 1] = True
            else:
                wanted[one.planes.index(text)] = True
        assert (planes[lane] == wanted).all(), str(batch.state(lane))


def test_without_a_board_there_are_no_planes():
    for call in (lambda one: one.planes, lambda one: one.batch(3).observe("planes")):
        with pytest.raises(ValueError, match="no board"):
            call(game("rock_paper_scissors"))
    with pytest.raises(ggp.NoNetworkError):
        game("tic_tac_toe", "datalog").planes
    with pytest.raises(ValueError, match="has the layout rows"):
        game("kuhn_poker").batch(3).observe("planes", role=0)


def test_arrays_are_filled_in_place(connect_four):
    batch = connect_four.batch(600)
    out = np.ones((600, len(connect_four.fluents)), bool)
    assert batch.observe(out=out) is out
    assert (out == batch.observe()).all()
    mask = np.ones_like(batch.legal())
    assert batch.legal(out=mask) is mask and (mask == batch.legal()).all()
    wide = np.zeros((600, 2 * len(connect_four.fluents)), bool)
    for wrong, error in [
        (wide, ValueError),
        (wide[:, ::2], ValueError),
        (out.astype(np.uint8), TypeError),
        (out.tolist(), TypeError),
    ]:
        with pytest.raises(error, match="out must be"):
            batch.observe(out=wrong)
    out.flags.writeable = False
    with pytest.raises((ValueError, TypeError)):
        batch.observe(out=out)


def play(batch, steps):
    """The facts after each of some steps, in which episodes begin again at different times."""
    seen = []
    for step in range(steps):
        batch.step()
        seen.append(batch.pack())
        if step % 3 == 2:
            batch.reset_ended()
        if step % 7 == 6:
            batch.reset(np.arange(len(batch)) % 5 == 0)
    return np.stack(seen)


def test_threads_and_neighbours_change_nothing(connect_four):
    all_lanes = play(connect_four.batch(1300, seed=4), 60)
    assert (all_lanes == play(connect_four.batch(1300, seed=4, threads=3), 60)).all()
    assert (all_lanes[:, :70] == play(connect_four.batch(70, seed=4), 60)).all()
    assert (all_lanes != play(connect_four.batch(1300, seed=5), 60)).any()


def test_episodes_differ_and_repeat(connect_four):
    batch = connect_four.batch(300, seed=6)
    first, again = batch.rollout(), connect_four.batch(300, seed=6).rollout()
    assert (first == again).all() and (batch.episodes == 0).all()
    batch.reset()
    assert (batch.episodes == 1).all() and not batch.terminated.any() and not batch.goals.any()
    assert (batch.rollout() != first).any()
    batch.restart(6)
    assert (batch.rollout() == first).all()


def test_a_policy_of_numpy_drives_a_batch(connect_four):
    batch = connect_four.batch(512, seed=1)
    random = np.random.default_rng(1)
    while not batch.terminated.all():
        mask = batch.legal_action_mask
        weights = np.where(mask, random.random(mask.shape), -1.0)
        batch.step(weights.argmax(axis=1))
    goals = batch.goals.astype(int)
    assert (goals.sum(axis=1) == 100).all()
    assert ((batch.steps >= 7) & (batch.steps <= 42)).all()


def test_drawn_actions_are_those_of_a_step(connect_four):
    one, two = connect_four.batch(600, seed=3), connect_four.batch(600, seed=3)
    for _ in range(45):
        actions = two.sample()
        assert actions.shape == (600, 2) and actions.dtype == np.int32
        two.step(actions)
        one.step()
        assert (one.pack() == two.pack()).all()
        assert (one.steps == two.steps).all()


def test_logits_weigh_the_legal_actions(connect_four):
    batch = connect_four.batch(4000, seed=8)
    logits = np.full(batch.legal().shape, -np.inf, np.float32)
    logits[:, 1], logits[:, 2] = 0, np.log(3)
    actions = batch.sample(logits)
    assert set(actions) == {1, 2}
    assert 0.72 < (actions == 2).mean() < 0.78
    batch.step(actions)
    logits[:] = np.nan
    assert (batch.sample(logits) == -1).all()
    with pytest.raises(TypeError, match="float32"):
        batch.sample(np.zeros(logits.shape, int))
    with pytest.raises(ValueError, match="shape"):
        batch.sample(logits[:, 1:])


def test_illegal_actions_raise_or_end_the_episode(connect_four):
    batch = connect_four.batch(700)
    actions = np.full(700, 1)
    actions[650] = 99
    with pytest.raises(ggp.IllegalMoveError, match="lane 650: .* has no action 99"):
        batch.step(actions)
    assert not batch.steps.any()
    with pytest.raises(ggp.IllegalMoveError, match="has a choice"):
        batch.step(np.full((700, 2), -1))
    ending = connect_four.batch(700, illegal="end")
    (player,) = set(ending.current_player)
    ending.step(actions)
    assert np.flatnonzero(ending.terminated).tolist() == [650]
    assert ending.goals[650, player] == 0 and ending.goals[650, 1 - player] == 100
    assert ending.rewards.sum() == 1
    assert pickle.loads(pickle.dumps(ggp.IllegalMoveError("text"))).args == ("text",)


def test_wrong_arguments_are_refused(connect_four):
    batch = connect_four.batch(10)
    for wrong in (np.zeros(9, int), np.zeros((10, 3), int), np.zeros((2, 10), int), 3):
        with pytest.raises(ValueError, match=r"actions must have the shape \(10,\) or \(10, 2\)"):
            batch.step(wrong)
    with pytest.raises(TypeError, match="actions must be an array of dtype int64, not float64"):
        batch.step(np.zeros(10))
    with pytest.raises(ggp.IllegalMoveError):
        batch.step(np.full(10, 2**40))
    with pytest.raises(TypeError, match="mask"):
        batch.reset(np.zeros(10))
    with pytest.raises(ValueError, match="mask"):
        batch.reset(np.zeros(11, bool))
    for wrong in (0, 2**25, 2**62):
        with pytest.raises(ValueError, match="lanes"):
            connect_four.batch(wrong)
    with pytest.raises(OverflowError):
        connect_four.batch(-1)
    with pytest.raises(ValueError, match="threads"):
        connect_four.batch(10, threads=0)
    with pytest.raises(ValueError, match="illegal"):
        connect_four.batch(10, illegal="ignore")
    with pytest.raises(ValueError, match="layout"):
        batch.observe("columns")
    with pytest.raises(ValueError, match="dtype"):
        batch.observe(dtype="int64")
    with pytest.raises(ValueError, match="needs a role"):
        batch.legal(layout="csr")
    with pytest.raises(IndexError):
        batch.state(10)
    with pytest.raises(TypeError, match="pack"):
        pickle.dumps(batch)
    with pytest.raises(ValueError, match="n must"):
        connect_four.playouts(0)


def test_episodes_are_cut_off(connect_four):
    for reasoner in ("auto", "datalog"):
        batch = game("connect_four", reasoner).batch(20, max_steps=5)
        for _ in range(7):
            batch.step()
        assert batch.truncated.all() and not batch.terminated.any() and (batch.steps == 5).all()


def test_games_without_a_network_step_by_ranks():
    slow, fast = game("skirmish", "datalog").batch(6, seed=1), game("skirmish").batch(6, seed=1)
    for _ in range(30):
        for role in (0, 1):
            begins, ranks = slow.legal(role, "csr")
            assert (begins == fast.legal(role, "csr")[0]).all()
            assert (ranks == np.concatenate([np.arange(count) for count in np.diff(begins)])).all()
        slow.step(slow.sample())
        fast.step()
        assert [slow.state(lane) for lane in range(6)] == [fast.state(lane) for lane in range(6)]
        assert (slow.terminated == fast.terminated).all()


@pytest.mark.parametrize("name", ["rock_paper_scissors", "connect_four", "kuhn_poker"])
def test_successors_are_those_of_single_states(name):
    one = game(name)
    batch = one.batch(8, seed=2)
    batch.step()
    begins, actions, successors = one.expand(batch.pack())
    states = [batch.state(lane) for lane in range(8)]
    assert len(begins) == 9 and begins[-1] == len(actions) == len(successors)
    moves = [one.moves(role) for role in one.roles]
    for lane, state in enumerate(states):
        found = range(begins[lane], begins[lane + 1])
        if state.is_terminal:
            assert len(found) == 0
            continue
        assert len(found) == np.prod([len(state.legal(role)) for role in one.roles])
        for at in found:
            joint = [own[action] for own, action in zip(moves, actions[at])]
            assert one.unpack(successors[at : at + 1]) == [state.next(joint)]
    again = one.expand(states)
    assert all((a == b).all() for a, b in zip(again, (begins, actions, successors)))


def test_playouts_from_many_states(connect_four):
    batch = connect_four.batch(50, seed=2)
    for _ in range(12):
        batch.step()
    means, *_ = connect_four.playouts(200, batch.pack(), seed=5)
    alone, *_ = connect_four.playouts(200, batch.pack()[:1], seed=5)
    assert means.shape == (50, 2) and means.dtype == np.float64
    assert (means[0] == alone[0]).all()
    assert np.allclose(means.sum(axis=1), 100)
    over = connect_four.batch(5, seed=1)
    goals = over.rollout()
    means, steps, *_ = connect_four.playouts(3, over.pack())
    assert steps == 0 and (means == goals).all()
