"""A minute of the example that learns a game: it learns, goes on from its folder, and its network is exported and served."""

import importlib.util
import os
import pathlib
import threading

import numpy as np
import pytest

import ggp
from ggp.ray import selfplay

EXAMPLES = pathlib.Path(os.environ.get("GGP_EXAMPLES", "crates/python/examples"))

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def zero():
    spec = importlib.util.spec_from_file_location("zero", EXAMPLES / "zero.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_network_learns_and_is_exported(zero, tmp_path):
    game = ggp.load(EXAMPLES / "breakthrough_5x5.kif")
    learners = []

    def learner():
        learners.append(zero.Learner(game, width=64, blocks=1))
        return learners[-1]

    games = zero.Games(game, simulations=16, lanes=64, explore=10)
    before, _, _ = zero.duel(game, zero.Network(learner().weights()), "uct:iterations=64", 60)
    for chunks in (8, 16):
        progress = selfplay(games, learner, folder=tmp_path, workers=0, chunks=chunks, chunks_per_version=4, replay=8)
    assert (progress.chunks, progress.version) == (16, 4)
    weights = learners[-1].weights()
    after, _, _ = zero.duel(game, zero.Network(weights), "uct:iterations=64", 60)
    assert after > before + 0.2 and after > 0.6, (before, after)

    zero.export(weights, tmp_path / "network.onnx")
    exported = zero.Onnx(tmp_path / "network.onnx")
    batch = game.batch(50, seed=1)
    batch.step()
    rows, mask = batch.observe(), np.ones((50, 2, len(game.moves(0))), bool)
    for one in (exported, zero.Network(weights)):
        logits, values = np.zeros(mask.shape, np.float32), np.zeros((50, 2), np.float32)
        one(rows, mask, logits, values)
        if one is exported:
            first = logits, values
    assert np.allclose(first[0], logits, atol=1e-4) and np.allclose(first[1], values, atol=1e-5)

    # Served over HTTP, it plays a match without a fault.
    address = []

    def served(url):
        address.append(url)
        threading.Thread(target=play).start()

    outcome = []

    def play():
        outcome.append(game.play_match([address[0], "random"], seed=1, play_clock=5))
        raise_interrupt()

    def raise_interrupt():
        import signal

        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        ggp.serve(lambda: zero.NetworkPlayer(game, exported, 16), port=0, listening=served)
    assert outcome[0]["ending"] == "Terminal" and not outcome[0]["faults"] and outcome[0]["goals"] == [100, 0]
