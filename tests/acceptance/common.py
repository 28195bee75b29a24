"""What the acceptance scripts share: where `ggp` is, how it is called, and how checks are kept.

GGP names another binary, GGP_SCRATCH a directory that is kept.
"""

import os
import subprocess
import sys
import tempfile
import time

os.environ["GGP_NO_CACHE"] = "1"

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
GGP = os.environ.get("GGP", os.path.join(ROOT, "target/release/ggp"))
CORPUS = os.environ.get("GGP_CORPUS", os.path.join(ROOT, "../shared/corpus"))
FIVE = ["skirmish", "pawn_whopping", "endgame", "breakthrough_holes", "english_draughts"]
SCRATCH = os.environ.get("GGP_SCRATCH") or tempfile.mkdtemp(prefix="ggp-acceptance-")
failed = []


def ggp(*words):
    return subprocess.run([GGP, *map(str, words)], cwd=ROOT, capture_output=True, text=True)


def check(what, good):
    print(f"  {'ok' if good else 'WRONG'}: {what}", flush=True)
    if not good:
        failed.append(what)


def run(checks):
    """Runs the checks named on the command line, or all of them; exits with 1 if one failed."""
    named = {check.__name__: check for check in checks}
    for name in sys.argv[1:] or named:
        print(f"{name}: {named[name].__doc__.splitlines()[0]}", flush=True)
        began = time.time()
        named[name]()
        print(f"  {time.time() - began:.0f} s", flush=True)
    sys.exit(1 if failed else 0)
