"""Single states: the network agrees with the interpreter, and states behave as values."""

import itertools
import pickle
import random
import xml.etree.ElementTree

import numpy as np
import pytest
from conftest import GAMES, game

import ggp


@pytest.mark.parametrize("name", GAMES)
def test_network_and_interpreter_agree(name):
    fast, slow = game(name), game(name, "datalog")
    assert slow.machine == "datalog"
    draw = random.Random(name)
    one, two = fast.initial_state(), slow.initial_state()
    for _ in range(25):
        assert one.facts == two.facts and one.goals == two.goals
        assert one.is_terminal == two.is_terminal
        assert one == two and hash(one) == hash(two)
        if one.is_terminal:
            break
        legal = [one.legal(role) for role in fast.roles]
        assert legal == [two.legal(role) for role in slow.roles]
        assert one.choosing == tuple(role for role, own in zip(fast.roles, legal) if len(own) > 1)
        joint = [draw.choice(own) for own in legal]
        for role in fast.roles:
            assert one.percepts(joint, role) == two.percepts(joint, role)
        one, two = one.next(joint), two.next(joint)


def test_joint_moves_are_given_in_three_ways(connect_four):
    start = connect_four.initial_state()
    (role,) = start.choosing
    move = start.legal(role)[2]
    joint = [move if one == role else start.legal(one)[0] for one in connect_four.roles]
    assert start.next(joint) == start.next({role: move}) == start.next(move)
    with pytest.raises(ggp.IllegalMoveError, match="no legal move"):
        start.next("(fly away)")
    with pytest.raises(ggp.IllegalMoveError, match="legal moves"):
        start.next({})
    with pytest.raises(ggp.IllegalMoveError, match="2 moves"):
        start.next([move])
    with pytest.raises(KeyError):
        start.next({"blue": move})
    with pytest.raises(TypeError):
        start.next(3)
    with pytest.raises(ValueError, match="several roles"):
        game("rock_paper_scissors").initial_state().next("rock")


def test_states_are_values(connect_four):
    start = connect_four.initial_state()
    assert connect_four.state(start.facts) == start
    assert {start: 1}[connect_four.initial_state()] == 1
    assert connect_four.unpack(start.pack()[None]) == [start]
    assert start != 3 and start != game("nim").initial_state()
    again = pickle.loads(pickle.dumps(start))
    assert again == start and again.game == connect_four
    with pytest.raises(ggp.EvaluationError):
        connect_four.state(["(no fact)"])
    with pytest.raises(ValueError, match="is no fact"):
        connect_four.state(["(("])
    with pytest.raises(KeyError, match="blue"):
        start.legal("blue")
    with pytest.raises(KeyError):
        start.legal(2)


def test_packed_states_have_a_bit_for_each_fluent(connect_four):
    state = connect_four.initial_state().next(connect_four.initial_state().legal(0)[0])
    bits = np.unpackbits(state.pack().view(np.uint8), bitorder="little")[: len(connect_four.fluents)]
    assert sorted(itertools.compress(connect_four.fluents, bits)) == state.facts
    with pytest.raises(ggp.EvaluationError):
        connect_four.unpack(np.full((1, len(state.pack())), 2**64 - 1, np.uint64))
    with pytest.raises(ValueError, match="shape"):
        connect_four.unpack(np.zeros((1, 99), np.uint64))
    with pytest.raises(TypeError, match="uint64"):
        connect_four.unpack(np.zeros((1, 3)))


@pytest.mark.parametrize("name", GAMES)
def test_pictures_show_the_pieces(name):
    state = game(name).initial_state()
    picture = xml.etree.ElementTree.fromstring(state._repr_svg_())
    assert picture.tag.endswith("svg")
    assert picture.findall(".//{*}rect") or picture.findall(".//{*}text")
    assert state._repr_svg_() in state._repr_html_()
    assert str(state).strip()


def test_a_drop_adds_one_disc_to_the_picture(connect_four):
    discs = lambda state: state._repr_svg_().count("<circle")
    start = connect_four.initial_state()
    assert discs(start.next(start.legal(start.choosing[0])[3])) == discs(start) + 1


def test_explanations_name_lines(connect_four):
    why = connect_four.explain("terminal")
    assert why.startswith("✗ terminal") and "line" in why
    assert connect_four.explain("(role red)").startswith("✓")
    with pytest.raises(ValueError):
        connect_four.explain("((")


def test_perft_counts_joint_moves(connect_four):
    assert connect_four.perft(3) == [1, 7, 49, 343]
    assert connect_four.perft(1, connect_four.initial_state().next("(drop 1)")) == [1, 7]


def test_proofs_and_searches_find_the_win():
    nim = game("nim")
    low, high, best, states = nim.solve(nim.roles[0])
    assert low == high and states > 0
    search = nim.search(player="mcts:seed=1")
    assert search.run(iterations=2000) in ("iterations", "decided")
    role = nim.initial_state().choosing[0]
    report = search.report(role)
    assert report[0]["move"] == search.best_move(role)
    assert {one["move"] for one in report} == set(nim.initial_state().legal(role))
    with pytest.raises(ValueError, match="seconds"):
        search.run()
    with pytest.raises(ValueError):
        nim.search(player="random")
    with pytest.raises(ValueError, match="whole state"):
        game("kuhn_poker").search()


def test_a_search_beats_a_random_player():
    tic_tac_toe = game("tic_tac_toe")
    goals = [
        tic_tac_toe.play_match(["mcts:iterations=300,seed=1", f"random:seed={seed}"], seed=seed)["goals"]
        for seed in range(10)
    ]
    assert sum(first for first, _ in goals) >= 900
    with pytest.raises(ValueError, match="2 roles"):
        tic_tac_toe.play_match(["random"])
    with pytest.raises(ValueError, match="no player"):
        tic_tac_toe.play_match(["chess", "random"])
