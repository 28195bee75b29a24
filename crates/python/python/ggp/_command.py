"""The command `ggp`."""

from __future__ import annotations

import signal
import sys

from ggp._ggp import command


def main() -> None:
    """Runs the command `ggp` and exits with its code."""
    # Python's own handler would wait for the command to end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["ggp", *sys.argv[1:]]))
