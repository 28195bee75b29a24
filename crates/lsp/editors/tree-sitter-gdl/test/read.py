"""Reads rulesheets with the compiled grammar: none may have an error, and the highlights must apply. Then reads the
examples of the folder `corpus`, which have the trees that they should give.

    read.py LIBRARY GRAMMAR RULESHEET…
"""

import ctypes
import re
import sys
from pathlib import Path

from tree_sitter import Language, Parser, Query, QueryCursor

library, grammar, *files = sys.argv[1:]
function = ctypes.CDLL(library).tree_sitter_gdl
function.restype = ctypes.c_void_p
pointer = ctypes.pythonapi.PyCapsule_New
pointer.restype, pointer.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
language = Language(pointer(function(), b"tree_sitter.Language", None))
query = Query(language, Path(grammar, "queries/highlights.scm").read_text())
parser = Parser(language)
wrong = []
for file in files:
    text = Path(file).read_bytes()
    tree = parser.parse(text)
    captures = QueryCursor(query).captures(tree.root_node)
    # Every rulesheet has keywords, functions and constants, and most have the rest.
    marks = {"comment": b";", "variable": b"?", "keyword.operator": b"<="}
    colours = {"keyword", "function", "constant"} | {name for name, mark in marks.items() if mark in text}
    if tree.root_node.has_error or not colours <= set(captures):
        wrong.append(file)
tree = parser.parse(b"(role white) ; c\n(<= terminal (true (at ?x 3 8_1)))")
shape = str(tree.root_node)
expected = (
    "(source_file (list name: (name) argument: (name)) (comment) (rule head: (name) condition: "
    "(list name: (name) argument: (list name: (name) argument: (variable) argument: (number) argument: (name)))))"
)
if shape != expected:
    wrong.append(shape)
corpus = Path(grammar, "test/corpus/rules.txt").read_text()
for text, wanted in re.findall(r"=+\n[^\n]+\n=+\n(.*?)\n---\n(.*?)(?=\n=+\n|\Z)", corpus, re.S):
    found = re.sub(r"\b\w+: ", "", str(parser.parse(text.encode()).root_node))
    if found != re.sub(r"\s+", " ", wanted).strip():
        wrong.append(found)
print(f"{len(files)} rulesheets read by the grammar, {len(wrong)} wrong: {wrong}")
sys.exit(bool(wrong) or not files)
