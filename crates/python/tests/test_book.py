"""The pages of the guide about Python run from beginning to end. `$GGP_BOOK` is the folder of the guide's text."""

import os
import pathlib
import re

import pytest
from conftest import FOLDER

BOOK = pathlib.Path(os.environ.get("GGP_BOOK", "crates/ggp/book/src")).resolve()

#: The pages, each with the library that it needs.
PAGES = {
    "python.md": "ggp",
    "python/benchmark.md": "ggp",
    "python/gymnasium.md": "gymnasium",
    "python/openspiel.md": "pyspiel",
    "python/own_network.md": "ggp",
    "python/pettingzoo.md": "pettingzoo",
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore")
def test_a_page_runs(page, monkeypatch):
    pytest.importorskip(PAGES[page])
    blocks = re.findall(r"```python\n(.*?)```", (BOOK / page).read_text(), re.DOTALL)
    assert blocks
    monkeypatch.chdir(FOLDER.resolve().parent)
    scope = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"block {number} of {page}", "exec"), scope)


def test_all_pages_are_run():
    assert set(PAGES) == {str(page.relative_to(BOOK)) for page in BOOK.glob("python*/*.md")} | {"python.md"}
