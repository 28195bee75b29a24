#!/usr/bin/env python3
"""Runs the notebooks of this folder from beginning to end. It needs nbclient and ipykernel.

    python crates/python/notebooks/run.py [--write]

With `--write` their outputs are written into them.
"""

from __future__ import annotations

import argparse
import pathlib

import nbformat
from nbclient import NotebookClient

#: Keys of a notebook's metadata that stay. Others tell about the machine that ran it.
KEPT = {"kernelspec", "language_info"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the outputs into the notebooks")
    arguments = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    for path in sorted(here.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(here)}}).execute()
        if arguments.write:
            notebook.metadata = {key: one for key, one in notebook.metadata.items() if key in KEPT}
            notebook.metadata["language_info"] = {"name": "python"}
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            nbformat.write(notebook, path)
        print(path.name, "runs")


if __name__ == "__main__":
    main()
