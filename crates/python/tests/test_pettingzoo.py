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


@pytest.mark.parametrize("wrong", [-1, 999, 10**12])
@pytest.mark.parametrize("others_have_acted", [False, True])
@pytest.mark.parametrize("name", ["rock_paper_scissors", "kuhn_poker"])
def test_an_illegal_action_is_the_fault_of_its_agent_alone(name, others_have_acted, wrong):
    one = env(game(name), illegal="end")
    one.reset(seed=1)
    if others_have_acted:
        one.step(int(one.observe(one.agent_selection)["action_mask"].argmax()))
    guilty = one.agent_selection
    one.step(wrong)
    assert all(one.terminations.values())
    assert one.rewards == {agent: float(agent != guilty) for agent in one.possible_agents}
    for agent in one.possible_agents:
        observation = one.observe(agent)
        assert observation in one.observation_space(agent)
        if game(name).is_hidden:
            # The observation shows no action of an agent that is at fault or has not acted.
            own = observation["observation"][len(game(name).percepts(agent)) :]
            assert own.sum() == (others_have_acted and agent != guilty)


@pytest.mark.parametrize("wrong", [-1, 999, 10**12])
def test_an_action_out_of_range_can_be_observed(wrong):
    one = parallel_env(game("kuhn_poker"), illegal="end")
    one.reset(seed=1)
    one.step({})
    observations, rewards, terminated, *_ = one.step({"first": wrong})
    assert rewards == {"first": 0, "second": 1} and all(terminated.values())
    for agent, observation in observations.items():
        assert observation in one.observation_space(agent)
        assert not observation["observation"][len(game("kuhn_poker").percepts(agent)) :].any()


def dealt(one, seed=None):
    """What the agents see of the cards in forty episodes of poker, the first of which begins with `seed`."""
    seen = []
    for number in range(40):
        one.reset(seed=None if number else seed)
        if isinstance(one, parallel_env):
            one.step({})
        seen.append([one._play.observe(agent)["observation"].tolist() for agent in one.possible_agents])
    return seen


@pytest.mark.parametrize("make", [env, parallel_env])
def test_environments_without_a_seed_play_different_episodes(make):
    one, two = make(game("kuhn_poker")), make(game("kuhn_poker"))
    seen = dealt(one)
    assert any(cards != seen[0] for cards in seen)
    assert seen != dealt(two)
    assert dealt(one, 3) == dealt(two, 3)


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


def percepts_of(one, agent, observation):
    names = one.percepts(agent)
    return tuple(np.array(names)[observation["observation"][: len(names)] == 1])


@pytest.mark.parametrize("name", [name for name in GAMES if game(name).is_hidden])
def test_skipped_moves_hide_no_percepts(name):
    """Each agent sees in turns, one after the other, all percepts that it sees where all agents act at once."""
    one = game(name)
    turns, parallel = env(one, max_steps=30), parallel_env(one, max_steps=30)
    random = np.random.default_rng(3)
    skipped = 0
    for seed in range(8):
        turns.reset(seed=seed)
        parallel.reset(seed=seed)
        seen = {agent: [] for agent in turns.possible_agents}
        wanted = {agent: [] for agent in turns.possible_agents}
        last, pending, done = {}, {}, 0

        def follow():
            """Makes the same steps where all agents act at once: the first with the actions chosen, the others without."""
            nonlocal pending, done
            made = int(turns._play.batch.steps[0]) - done
            for _ in range(made):
                observations, *_ = parallel.step(pending)
                pending, done = {}, done + 1
                for agent, shown in observations.items():
                    wanted[agent].append(percepts_of(one, agent, shown))
            return made

        skipped += follow()
        while not (turns.terminations[turns.agent_selection] or turns.truncations[turns.agent_selection]):
            agent = turns.agent_selection
            observation = turns.observe(agent)
            seen[agent].append(percepts_of(one, agent, observation))
            own = np.flatnonzero(observation["observation"][len(one.percepts(agent)) :])
            assert own.tolist() == ([last[agent]] if agent in last else [])
            action = int(random.choice(np.flatnonzero(observation["action_mask"])))
            last[agent] = pending[agent] = action
            turns.step(action)
            skipped += max(0, follow() - 1)
        for agent in turns.possible_agents:
            seen[agent].append(percepts_of(one, agent, turns.observe(agent)))
            assert [some for some in seen[agent] if some] == [some for some in wanted[agent] if some]
    # In this game every step shows every agent something.
    assert skipped > 0 or name == "phantom_tic_tac_toe"
