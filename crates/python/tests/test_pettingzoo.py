"""PettingZoo's own conformance tests."""

import numpy as np
import pytest
from conftest import GAMES, game

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test  # noqa: E402
from pettingzoo.utils import parallel_to_aec  # noqa: E402

from ggp.pettingzoo import env, parallel_env  # noqa: E402


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.filterwarnings("ignore")
def test_it_conforms(name):
    one = game(name)
    parallel_api_test(parallel_env(one), num_cycles=60)
    # This test draws actions without looking at masks.
    parallel_seed_test(lambda: parallel_env(one, illegal="end"), num_cycles=30)
    api_test(env(one), num_cycles=60, verbose_progress=False)
    seed_test(lambda: env(one), num_cycles=30)


@pytest.mark.filterwarnings("ignore")
def test_a_parallel_environment_becomes_one_of_turns():
    api_test(parallel_to_aec(parallel_env(game("rock_paper_scissors"))), num_cycles=60)


def test_only_agents_with_a_choice_act():
    one = env(game("connect_four"))
    one.reset(seed=3)
    turns = []
    while not one.terminations[one.agent_selection]:
        mask = one.observe(one.agent_selection)["action_mask"]
        assert mask.sum() > 1
        turns.append(one.agent_selection)
        one.step(int(np.flatnonzero(mask)[0]))
    assert set(turns) == {"red", "yellow"}
    assert all(first != second for first, second in zip(turns, turns[1:]))
    assert sorted(one.rewards.values()) in ([0, 1], [0.5, 0.5])
    one.reset(seed=3)
    with pytest.raises(ValueError, match="not legal"):
        one.step(999)


def test_agents_see_their_percepts_alone():
    poker = game("kuhn_poker")
    one = parallel_env(poker)
    seen = {agent: set() for agent in one.possible_agents}
    for seed in range(20):
        observations, _ = one.reset(seed=seed)
        assert all(not observation["observation"].any() for observation in observations.values())
        actions = {agent: int(np.flatnonzero(seen_["action_mask"])[0]) for agent, seen_ in observations.items()}
        observations, *_ = one.step(actions)
        for agent, observation in observations.items():
            percepts = poker.percepts(agent)
            own = observation["observation"][: len(percepts)]
            seen[agent].add(tuple(np.array(percepts)[own == 1]))
    assert all(len(cards) == 3 for cards in seen.values()), "each is dealt each of three cards"
