"""What a process does around a batch: signals, threads, forks, other processes, memory."""

import concurrent.futures
import gc
import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from conftest import game

import ggp


#: A joint move of liar's dice.
ROLLED = [["wait", "wait", "(roll 1 2)"]]


def interrupted(work):
    """The seconds between a Ctrl-C and the end of `work`."""
    sent = []

    def send():
        time.sleep(0.3)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    with pytest.raises(KeyboardInterrupt):
        work()
    return time.monotonic() - sent[0]


def test_ctrl_c_is_answered_soon():
    four = game("connect_four")
    search = four.search()
    long = "mcts:iterations=1000000000"
    for work in (
        lambda: four.playouts(10**9),
        lambda: game("hex", "datalog").playouts(10**6),
        lambda: search.run(seconds=60),
        lambda: four.solve("red", seconds=60),
        lambda: four.perft(30),
        lambda: four.play_match([long, long], play_clock=60),
        lambda: ggp.match(four, [long, long], play_clock=60),
        lambda: four.analyze(seconds=60),
        lambda: game("phantom_tic_tac_toe").equilibrium(memory=8000),
        lambda: game("mastermind").best_play(memory=8000),
        lambda: game("liars_dice").analyze(role=0, history=ROLLED, iterations=10**9),
        lambda: ggp.make_vec(game("liars_dice"), 3, 0, long).step(np.full(3, 0)),
        lambda: game("hex", "datalog").batch(20_000).rollout(),
    ):
        # 0.1 s on a machine of one's own; shared machines schedule later.
        assert min(interrupted(work) for _ in range(2)) < 0.25
    assert four.playouts(10)[1] > 0


def test_threads_share_a_game():
    four = game("connect_four")
    alone = [four.playouts(500, seed=seed)[2] for seed in range(8)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda seed: four.playouts(500, seed=seed)[2], range(8))) == alone
        batch = four.batch(64, seed=1)
        list(pool.map(lambda _: batch.step(), range(50)))
    assert batch.terminated.all()


def ask_while_numpy_copies():
    """Unpacks states in one thread, while others ask the game. numpy lets them run while it copies an array."""
    four = game("connect_four")
    # No state has all facts, so each call ends soon after the copy. Every second row alone is no contiguous array.
    wrong = np.full((400_000, len(four.initial_state().pack())), 2**64 - 1, np.uint64)[::2]
    is_done = threading.Event()

    def unpack():
        try:
            for _ in range(30):
                with pytest.raises(ggp.EvaluationError):
                    four.unpack(wrong)
        finally:
            is_done.set()

    def ask():
        while not is_done.is_set():
            assert four.machine == "propnet" and four.fallback is None and four.moves(0) and four.fluents

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for thread in [pool.submit(unpack), pool.submit(ask), pool.submit(ask)]:
            thread.result()


def test_threads_do_not_wait_for_each_other_for_ever():
    # In a process of its own, which can be killed: threads that wait for the interpreter lock end by nothing else.
    child = multiprocessing.get_context("spawn").Process(target=ask_while_numpy_copies)
    child.start()
    child.join(120)
    waits = child.is_alive()
    child.kill()
    child.join()
    assert not waits and child.exitcode == 0


def rolled_out(arguments):
    one, seed = arguments
    return one.batch(30, seed=seed).rollout().tolist(), one.initial_state()


def test_other_processes_get_games():
    four = game("connect_four")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(rolled_out, [(four, 1), (four, 2)])
    for seed, (goals, start) in zip((1, 2), found):
        assert goals == four.batch(30, seed=seed).rollout().tolist()
        assert start == four.initial_state()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_has_batches_without_threads_only():
    four = game("connect_four")
    threaded, plain = four.batch(2000, threads=2), four.batch(2000)
    threaded.step()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            plain.step()
            try:
                threaded.step()
            except RuntimeError as error:
                code = 0 if "after the fork" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    threaded.step()


def resident():
    """The memory of this process in bytes."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory is read from /proc")
def test_a_million_calls_keep_no_memory():
    four, poker = game("connect_four"), game("kuhn_poker")
    batch, cards, wrong = four.batch(3, seed=1), poker.batch(3, seed=1), np.zeros(5, int)
    rows, logits, start = batch.observe(), np.zeros(batch.legal().shape, np.float32), four.initial_state()
    joint = [start.legal(role)[0] for role in four.roles]
    trees = ggp.search(four, lambda *_: None, 4, simulations=2)

    def refused(call):
        try:
            call()
        except (ValueError, TypeError):
            return
        raise AssertionError("not refused")

    often = [
        batch.step,
        batch.reset_ended,
        batch.reset,
        lambda: batch.step(batch.sample()),
        lambda: batch.step(batch.sample(logits)),
        lambda: batch.step_against(0),
        lambda: batch.observe(out=rows),
        lambda: batch.observe(dtype="float32"),
        lambda: batch.observe("facts"),
        lambda: np.from_dlpack(batch.observe(dtype="uint8")),
        lambda: batch.legal("red"),
        lambda: batch.legal("red", "packed"),
        lambda: batch.legal("red", "csr"),
        lambda: batch.legal_action_mask,
        lambda: (batch.rewards, batch.goals, batch.terminated, batch.truncated),
        lambda: (batch.steps, batch.episodes, batch.current_player),
        lambda: four.unpack(batch.pack()),
        lambda: batch.state(1).pack(),
        lambda: (cards.step(), cards.observe(role=1)),
        cards.reset_ended,
        lambda: refused(lambda: batch.step(wrong)),
        lambda: refused(lambda: batch.observe(out=wrong)),
        lambda: start.next(joint).is_terminal,
        lambda: start.legal(0),
        lambda: start == four.initial_state(),
    ]
    seldom = [
        lambda: four.batch(2, seed=3).rollout(),
        lambda: four.playouts(3),
        lambda: four.expand(start),
        lambda: four.state(start.facts).goals,
        lambda: refused(lambda: four.state(["(("])),
        lambda: pickle.loads(pickle.dumps(start)),
        lambda: (str(start), start._repr_svg_()),
        lambda: four.perft(1),
        lambda: four.explain("terminal"),
        lambda: trees.run(start),
    ]

    def calls(count):
        for number in range(count // len(often)):
            for call in often:
                call()
            if number % 100 == 0:
                for call in seldom:
                    call()

    calls(50_000)
    before = resident()
    calls(1_000_000)
    kept = resident() - before
    assert kept < 2**20, f"{kept} bytes are kept, more than one a call"
