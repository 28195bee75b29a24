"""Headless Neovim with the settings of the guide. Debian 12 has 0.7.2, which lacks `vim.lsp.start`."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
NEOVIM = shutil.which("nvim")

RULES = """\
(role white)
(init (at white 1)) (succ 1 2) (succ 2 3) (<= (legal white (go ?to)) (true (at white ?at)) (succ ?at ?to))
(<= (next (at ?who ?to)) (does ?who (go ?to))
(<=   terminal   (true (at white 3)))
(<= (goal white 100) (true (at white 3)))
(<= (goal white 0) (not (true (at white 3))))
"""


def settings() -> str:
    """The settings of the guide for this version of Neovim."""
    page = (ROOT / "crates/ggp/book/src/editors.md").read_text()
    newer, older = re.findall(r"```lua\n(.*?)```", page, re.S)
    version = subprocess.run([NEOVIM, "--version"], capture_output=True, text=True).stdout
    major, minor = map(int, re.search(r"v(\d+)\.(\d+)", version).groups())
    return newer if (major, minor) >= (0, 11) else older


@pytest.mark.skipif(NEOVIM is None and "CI" not in os.environ, reason="Neovim is not installed")
def test_neovim(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ggp").symlink_to(Path(os.environ.get("GGP") or shutil.which("ggp")).resolve())
    (tmp_path / "settings.lua").write_text(settings())
    (tmp_path / "game.kif").write_text(RULES)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "GGP_SETTINGS": str(tmp_path / "settings.lua"),
        "GGP_FILE": str(tmp_path / "game.kif"),
        "GGP_RESULT": str(tmp_path / "result"),
    }
    command = [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {HERE / 'neovim.lua'}"]
    subprocess.run(command, env=environment, timeout=120, stdin=subprocess.DEVNULL, check=True)
    result = (tmp_path / "result").read_text().splitlines()
    assert result[0] == "diagnostic 2 this `(` is never closed"
    assert result[1:] == [
        "hover role `white`",
        "fix add a `)` before the next rule or fact",
        "fixed",
        "completion ?a 1 2 3",
        "definition 1",
        "renamed (role red)",
        "laid out (<= (legal red (go ?to))|    (true (at red ?at))",
        "symbols 7",
    ]
