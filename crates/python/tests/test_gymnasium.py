"""Gymnasium's checker, and the equivalence of the vector environment with single ones."""

import numpy as np
import pytest
from conftest import game

pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from ggp.gymnasium import Env, VectorEnv  # noqa: E402

#: Games of all classes, and the role that is played.
GAMES = [
    ("breakthrough_holes", "white"),
    ("connect_four", "red"),
    ("connect_four", "yellow"),
    ("eight_puzzle", None),
    ("endgame", 0),
    ("english_draughts", 0),
    ("english_draughts", 1),
    ("hex", 0),
    ("hex", 1),
    ("kuhn_poker", 0),
    ("kuhn_poker", 1),
    ("liars_dice", 1),
    ("mastermind", None),
    ("maze", None),
    ("monty_hall", None),
    ("nim", 0),
    ("nim", 1),
    ("pawn_whopping", 0),
    ("phantom_tic_tac_toe", 0),
    ("rock_paper_scissors", 0),
    ("rock_paper_scissors", 1),
    ("skirmish", 0),
    ("skirmish", 1),
    ("sprint", 0),
    ("three_player_tic_tac_toe", 2),
    ("tic_tac_toe", 1),
]


@pytest.mark.parametrize("name, role", GAMES)
@pytest.mark.filterwarnings("ignore")
def test_it_passes_the_checker(name, role):
    check_env(Env(game(name), role, max_steps=200), skip_render_check=True)


@pytest.mark.filterwarnings("ignore")
def test_observations_are_planes_if_asked_for():
    four = game("connect_four")
    env = Env(four, "red", layout="planes")
    check_env(env, skip_render_check=True)
    assert env.observation_space.shape == (len(four.planes), 6, 7)
    vector = VectorEnv(four, 5, "red", layout="planes")
    planes, info = vector.reset(seed=3)
    assert planes in vector.observation_space and planes.shape == (5, len(four.planes), 6, 7)
    rows, _ = VectorEnv(four, 5, "red").reset(seed=3)
    discs = [at for at, name in enumerate(four.fluents) if name.startswith("(cell")]
    assert (planes[:, ["?x" in name for name in four.planes]].sum(axis=(1, 2, 3)) == rows[:, discs].sum(axis=1)).all()
    with pytest.raises(ValueError, match="layout"):
        Env(game("kuhn_poker"), 0, layout="planes")
    with pytest.raises(ValueError, match="no board"):
        Env(game("rock_paper_scissors"), 0, layout="planes")


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name, role", GAMES)
def test_a_vector_plays_as_single_environments_do(name, role, mode):
    lanes = 6
    make = lambda: Env(game(name), role, max_steps=30)
    single = SyncVectorEnv([make] * lanes, autoreset_mode=mode)
    vector = VectorEnv(game(name), lanes, role, max_steps=30, autoreset_mode=mode)
    assert vector.observation_space == single.observation_space
    assert vector.action_space == single.action_space
    assert vector.metadata["autoreset_mode"] == mode
    random = np.random.default_rng(5)
    ours, theirs = vector.reset(seed=11), single.reset(seed=11)
    ended = 0
    for _ in range(40):
        for one, other in zip(ours[:-1], theirs[:-1]):
            assert np.array_equal(one, other)
        mask, wanted = ours[-1]["action_mask"], theirs[-1]["action_mask"]
        # Where a reset leaves a lane out, Gymnasium's own environment has no mask to show.
        shown = theirs[-1]["_action_mask"]
        assert np.array_equal(mask[shown], wanted[shown])
        if len(ours) > 2:
            over = ours[2] | ours[3]
            ended += over.sum()
            if mode is AutoresetMode.SAME_STEP and over.any():
                for lane in np.flatnonzero(over):
                    assert np.array_equal(ours[-1]["final_obs"][lane], theirs[-1]["final_obs"][lane])
                    assert np.array_equal(
                        ours[-1]["final_info"]["action_mask"][lane], theirs[-1]["final_info"]["action_mask"][lane]
                    )
            if mode is AutoresetMode.DISABLED and over.any():
                options = {"reset_mask": over}
                ours, theirs = vector.reset(options=dict(options)), single.reset(options=dict(options))
                continue
        actions = np.where(mask == 1, random.random(mask.shape), -1).argmax(axis=1)
        ours, theirs = vector.step(actions), single.step(actions)
    assert ended > 0 or name in ("english_draughts", "skirmish")


def begun(env, seed=None):
    """What the agent sees first in forty episodes, the first of which begins with `seed`."""
    return np.array([env.reset(seed=None if number else seed)[0] for number in range(40)])


@pytest.mark.parametrize("make", [Env, lambda four, role: VectorEnv(four, 3, role)])
def test_environments_without_a_seed_play_different_episodes(make):
    # The opponent moves first, at random.
    one, two = make(game("connect_four"), "yellow"), make(game("connect_four"), "yellow")
    seen = begun(one)
    assert len(np.unique(seen, axis=0)) > 1
    assert not np.array_equal(seen, begun(two))
    assert np.array_equal(begun(one, 3), begun(two, 3))
    one, two = make(game("connect_four"), "yellow"), make(game("connect_four"), "yellow")
    one.np_random, two.np_random = np.random.default_rng(3), np.random.default_rng(3)
    assert np.array_equal(begun(one), begun(two))


def test_what_does_not_fit_is_refused():
    tic_tac_toe = game("tic_tac_toe")
    with pytest.raises(ValueError, match="iterations"):
        VectorEnv(tic_tac_toe, 3, 0, "mcts")
    with pytest.raises(ValueError, match="name the role"):
        VectorEnv(tic_tac_toe, 3)
    env = VectorEnv(tic_tac_toe, 3, 0, autoreset_mode=AutoresetMode.DISABLED, illegal="raise")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="not legal|no action"):
        env.step(np.full(3, 10_000))
