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


def test_a_move_that_nobody_can_make_is_illegal():
    one = ggp.load("(role a) (init start) (legal a go) (next over) (<= terminal (true over)) (goal a 100)")
    start = one.initial_state()
    with pytest.raises(ggp.IllegalMoveError, match="no role has the legal move `stay`"):
        start.next("stay")
    over = start.next("go")
    assert over.is_terminal
    for call in (lambda: over.next("go"), lambda: over.percepts("go", "a")):
        with pytest.raises(ggp.IllegalMoveError, match="no role has the legal move `go`"):
            call()


def test_one_state_is_neither_none_nor_several(connect_four):
    start = connect_four.initial_state()
    packed = start.pack()[None]
    for call in (
        connect_four.search,
        lambda state: connect_four.perft(1, state),
        lambda state: connect_four.explain("terminal", state),
        lambda state: connect_four.solve("red", state, seconds=0.1),
        lambda state: connect_four.analyze(state, iterations=1),
    ):
        for wrong, count in (([], 0), (packed[:0], 0), ((start, start), 2), (packed.repeat(3, axis=0), 3)):
            with pytest.raises(ValueError, match=f"takes one state, not {count}"):
                call(wrong)
    assert connect_four.perft(1, [start]) == connect_four.perft(1, packed) == [1, 7]


def test_states_of_another_game_are_known_by_their_facts(connect_four):
    slow = game("connect_four", "datalog")
    after = [one.initial_state().next("(drop 4)") for one in (slow, connect_four)]
    own, foreign, mixed = [connect_four.initial_state()], slow.initial_state(), [*after, slow.initial_state()]
    assert connect_four.perft(2, foreign) == slow.perft(2, own[0]) == [1, 7, 49]
    means, *_ = connect_four.playouts(20, mixed, seed=1)
    again, *_ = connect_four.playouts(20, [after[1], after[1], *own], seed=1)
    assert np.array_equal(means, again)
    with pytest.raises(ggp.EvaluationError):
        connect_four.perft(1, game("nim").initial_state())


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
    assert report[0].move == search.best_move(role)
    assert {one.move for one in report} == set(nim.initial_state().legal(role))
    with pytest.raises(ValueError, match="seconds"):
        search.run()
    with pytest.raises(ValueError):
        nim.search(player="random")
    with pytest.raises(ValueError, match="whole state"):
        game("kuhn_poker").search()


def test_a_search_draws_moves_where_two_roles_choose_at_once():
    hands = game("rock_paper_scissors")
    search = hands.search(player="mcts:seed=1")
    search.run(iterations=3000)
    for role in hands.roles:
        strategy = search.strategy(role)
        assert set(strategy) == set(hands.initial_state().legal(role)) and sum(strategy.values()) == pytest.approx(1)
        assert max(strategy.values()) < 0.6
    nim = game("nim").search(player="mcts:seed=1")
    nim.run(iterations=100)
    assert max(nim.strategy("first").values()) == 1


def test_a_search_keeps_to_the_moves_that_it_is_given(connect_four):
    search = connect_four.search(player="mcts:seed=1")
    role = connect_four.initial_state().choosing[0]
    search.run(iterations=500)
    before = {one.move: one.visits for one in search.report(role)}
    search.run(iterations=2000, role=role, moves=["(drop 1)", "(drop 7)", "(drop 8)"])
    after = {one.move: one.visits for one in search.report(role)}
    assert {move for move in after if after[move] > before[move]} == {"(drop 1)", "(drop 7)"}
    with pytest.raises(ValueError, match="role"):
        search.run(iterations=1, moves=["(drop 1)"])


def test_a_search_beats_a_random_player():
    tic_tac_toe = game("tic_tac_toe")
    goals = [
        tic_tac_toe.play_match(["mcts:iterations=300,seed=1", f"random:seed={seed}"], seed=seed)["goals"]
        for seed in range(40)
    ]
    assert sum(first for first, _ in goals) >= 40 * 85
    with pytest.raises(ValueError, match="2 roles"):
        tic_tac_toe.play_match(["random"])
    with pytest.raises(ValueError, match="no player"):
        tic_tac_toe.play_match(["chess", "random"])
    with pytest.raises(ValueError, match="no player"):
        ggp.match(tic_tac_toe, ["chess", "random"])


def test_players_are_compared_in_all_seats():
    tic_tac_toe = game("tic_tac_toe")
    found = ggp.match(tic_tac_toe, {"search": "mcts:iterations=100", "chance": "random"}, games=40, seed=3)
    again = ggp.match(tic_tac_toe, {"search": "mcts:iterations=100", "chance": "random"}, games=40, seed=3, concurrency=2)
    assert len(found.results) == 40 and sorted(found.results) == sorted(again.results)
    assert {tuple(one.players) for one in found.results} == {("search", "chance"), ("chance", "search")}
    (one,) = found.comparisons
    assert one.players == ("search", "chance") and one.wins + one.draws + one.losses == 40
    assert one.score.value == pytest.approx((one.wins + one.draws / 2) / 40) and one.score.low > 0.8
    assert one.score.low <= one.score.value <= one.score.high
    mean = sum(goal for one in found.results for player, goal in zip(one.players, one.goals) if player == "search") / 40
    assert found.goals["search"].value == pytest.approx(mean)
    assert "search against chance" in str(found)
    assert pickle.loads(pickle.dumps(found)) == found
    equal = ggp.match(game("kuhn_poker"), ["random", "random"], games=2)
    assert list(equal.goals) == ["random", "random (2)"] and equal.results[0].players[2] is None
    with pytest.raises(ValueError, match="at least one player"):
        ggp.match(tic_tac_toe, [])
    for wrong in ({"games": 0}, {"concurrency": 0}, {"concurrency": 10**9}, {"play_clock": -1.0}, {"play_clock": float("nan")}):
        with pytest.raises(ValueError):
            ggp.match(tic_tac_toe, ["random", "random"], **wrong)


def test_an_analysis_is_what_the_search_reports():
    nim = game("nim")
    found = nim.analyze(player="mcts:seed=1", iterations=500)
    search = nim.search(player="mcts:seed=1")
    search.run(iterations=500)
    assert found.moves == {role: search.report(role) for role in nim.roles}
    assert found.iterations == search.iterations and found.nodes > 1 and found.principal[0]
    (choosing,) = nim.initial_state().choosing
    assert list(nim.analyze(role=choosing, iterations=10).moves) == [choosing]
    after = nim.initial_state().next(found.moves[choosing][0].move)
    assert set(one.move for one in nim.analyze(after, iterations=50).moves[after.choosing[0]]) == set(after.legal(after.choosing[0]))
    for wrong in ({"player": "random"}, {"player": "chess"}, {"history": []}):
        with pytest.raises(ValueError):
            nim.analyze(**wrong)
    with pytest.raises(KeyError):
        nim.analyze(role="nobody")


def test_an_analysis_of_hidden_information_knows_what_the_role_has_seen():
    poker = game("kuhn_poker")
    def moves(deal):
        found = poker.analyze(role="second", history=[["wait", "wait", deal], ["bet", "wait", "wait"]], iterations=300)
        return {one.move: one.score for one in found.moves["second"]}, found.moves["second"][0].move

    assert moves("(deal queen king)")[1] == "call" and moves("(deal queen jack)")[1] == "fold"
    # The other one's card changes nothing.
    assert moves("(deal queen king)") == moves("(deal jack king)")
    with pytest.raises(ValueError, match="name the role"):
        poker.analyze(iterations=10)
    with pytest.raises(ValueError, match="instead of a state"):
        poker.analyze(poker.initial_state(), role="second", iterations=10)
    with pytest.raises(ggp.IllegalMoveError):
        poker.analyze(role="second", history=[["bet", "wait", "wait"]], iterations=10)


def test_equilibria_and_best_play():
    poker = game("kuhn_poker").equilibrium()
    assert poker.roles == ["first", "second"] and poker.exploitability <= 1e-5
    assert poker.goals == pytest.approx([50 - 25 / 18, 50 + 25 / 18], abs=0.01)
    for role, history, moves in poker.strategy:
        assert role in poker.roles and sum(moves.values()) == pytest.approx(1)
        if history[0] == ["wait", "(dealt king)"] and "call" in moves:
            assert moves["call"] == pytest.approx(1, abs=1e-3)
    rounds = game("rock_paper_scissors").equilibrium(exploitability=1e-3)
    assert rounds.goals == pytest.approx([50, 50], abs=0.1)
    monty = game("monty_hall").best_play()
    assert monty.value == pytest.approx(200 / 3) and monty.plan[-1].move == "change"
    with pytest.raises(ValueError, match="equilibrium"):
        game("nim").best_play()
    with pytest.raises(ValueError):
        game("three_player_tic_tac_toe").equilibrium(seconds=0.01)
    for wrong in (0, -1, 2, float("nan")):
        with pytest.raises(ValueError, match="share of the range"):
            game("kuhn_poker").equilibrium(exploitability=wrong)
    with pytest.raises(ValueError, match="MiB"):
        game("liars_dice").equilibrium(memory=1)
    with pytest.raises(ValueError, match="best_play"):
        game("kuhn_poker").solve("first")
