"""The tour of the guide runs from beginning to end. `$GGP_TOUR` names the page."""

import os
import pathlib
import re

from conftest import FOLDER


def test_the_tour_runs(monkeypatch, capsys):
    page = pathlib.Path(os.environ.get("GGP_TOUR", "crates/ggp/book/src/python.md")).resolve()
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) > 5
    monkeypatch.chdir(FOLDER.resolve().parent)
    scope = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"block {number} of {page.name}", "exec"), scope)
    assert "red" in capsys.readouterr().out
