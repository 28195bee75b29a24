"""Loading: games, and rules that cannot be played."""

import pickle
import subprocess

import pytest
from conftest import FOLDER, game

import ggp

BROKEN = "(role a) (init (step 1))\n(<= (next (step 3)) (not (true (step ?n))))\n(legal a go) (goal a 100)"


def test_a_game_says_what_it_is(connect_four):
    assert connect_four.roles == ("red", "yellow")
    assert connect_four.machine == "propnet" and connect_four.fallback is None
    assert connect_four.moves("red") == connect_four.moves(0)
    assert list(connect_four.moves("red")) == sorted(connect_four.moves("red"))
    assert len(set(connect_four.fluents)) == len(connect_four.fluents)
    assert connect_four.chance is None and not connect_four.is_hidden
    assert game("kuhn_poker").is_hidden and game("kuhn_poker").chance is not None
    assert "connect_four" in repr(connect_four)


def test_a_text_and_its_file_are_the_same_game(connect_four):
    text = (FOLDER / "connect_four.kif").read_text()
    assert ggp.load(text) == connect_four
    assert ggp.load(text, reasoner="datalog") != connect_four
    assert hash(ggp.load(text)) == hash(connect_four)


def test_errors_print_as_the_command_does(tmp_path):
    path = tmp_path / "broken.kif"
    path.write_text(BROKEN)
    with pytest.raises(ggp.RulesError) as caught:
        ggp.load(path)
    checked = subprocess.run(["ggp", "check", path], capture_output=True, text=True)
    assert checked.returncode == 1
    said = checked.stdout + checked.stderr
    assert str(caught.value).strip() in said
    (error,) = (finding for finding in caught.value.diagnostics if finding.severity == "error")
    assert (error.code, error.line) == ("unsafe-variable", 2)
    assert error.help
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is ggp.RulesError
    assert str(again) == str(caught.value) and again.diagnostics == caught.value.diagnostics


def test_what_is_wrong_with_the_source_is_said():
    with pytest.raises(FileNotFoundError, match="no_such_game"):
        ggp.load("no_such_game.kif")
    with pytest.raises(TypeError, match="path"):
        ggp.load(7)
    with pytest.raises(ValueError, match="auto, datalog, compiled or propnet"):
        ggp.load(FOLDER / "nim.kif", reasoner="fast")
    with pytest.raises(ValueError, match="seconds"):
        ggp.load(FOLDER / "nim.kif", seconds=-1)


def test_without_time_for_a_network_the_interpreter_plays():
    slow = ggp.load(FOLDER / "hex.kif", seconds=0)
    assert slow.machine != "propnet" and "CPU time" in slow.fallback
    assert slow.initial_state() == game("hex").initial_state()
    with pytest.raises(ggp.NoNetworkError, match="no network"):
        slow.fluents
    with pytest.raises(ggp.NoNetworkError):
        slow.moves(0)
    with pytest.raises(ggp.NoNetworkError) as caught:
        slow.batch(2).observe()
    assert any("CPU time" in note for note in caught.value.__notes__)


def test_the_command_is_installed():
    version = subprocess.run(["ggp", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == f"ggp {ggp.__version__}"
    wrong = subprocess.run(["ggp", "perft", "no_such_game.kif", "--depth", "1"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "no_such_game" in wrong.stderr
    assert subprocess.run(["ggp", "nonsense"], capture_output=True).returncode == 2
