"""What earlier versions of the package have written is read, and what a later one has written is refused."""

import pathlib
import pickle
import shutil

import numpy as np
import pytest

import ggp
import ggp.ray

#: A run of `selfplay` that ggp 0.1.0 has written, with this learner.
OLD = pathlib.Path(__file__).parent / "self-play-0.1"


class Adder:
    """A learner that adds up."""

    def __init__(self):
        self.total = 0

    def learn(self, chunk):
        self.total += int(chunk["rows"].sum())

    def weights(self):
        return self.total

    def save(self):
        return {"total": self.total}

    def load(self, saved, chunks):
        self.total = saved["total"] if saved else 0


def play(weights, seed):
    return {"rows": np.arange(3) + seed % 7}


def go_on(folder):
    return ggp.ray.selfplay(play, Adder, folder=folder, workers=0, chunks=6, chunks_per_version=2)


def test_self_play_goes_on_from_an_earlier_version_and_not_from_a_later_one(tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(OLD, folder)
    assert ggp.ray.checkpoint(folder) == {"total": 48}
    progress = go_on(folder)
    assert (progress.version, progress.chunks) == (3, 6)
    # The same as a run without a break.
    go_on(tmp_path / "whole")
    assert ggp.ray.checkpoint(folder) == ggp.ray.checkpoint(tmp_path / "whole")
    file = folder / "checkpoint.pkl"
    kept = pickle.loads(file.read_bytes())
    assert kept["format"] == "ggp self-play 1"
    newer = pickle.dumps({**kept, "format": "ggp self-play 2"})
    file.write_bytes(newer)
    said = f"version 2 of the format `ggp self-play` is unknown to ggp {ggp.__version__}, which reads version 1"
    for refuse in (go_on, ggp.ray.checkpoint):
        with pytest.raises(ggp.GgpError, match=said):
            refuse(folder)
    assert file.read_bytes() == newer
    file.write_bytes(pickle.dumps([1]))
    with pytest.raises(ggp.GgpError, match="is no checkpoint of self-play"):
        ggp.ray.checkpoint(folder)
