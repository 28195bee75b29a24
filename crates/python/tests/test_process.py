"""What a process does around a batch: signals, threads, forks, other processes, memory."""

import concurrent.futures
import multiprocessing
import os
import resource
import signal
import threading
import time

import numpy as np
import pytest
from conftest import game


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


def test_calls_keep_no_memory():
    four = game("connect_four")
    batch = four.batch(64)
    out = batch.observe()

    def call():
        batch.step()
        batch.reset_ended()
        batch.observe(out=out)
        batch.legal()
        batch.rewards
        with pytest.raises(ValueError):
            batch.step(np.zeros(3, int))
        four.initial_state().facts

    for _ in range(500):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3000):
        call()
    # KiB: far less than one byte a lane and call.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
