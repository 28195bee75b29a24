"""Reads rulesheets with the compiled grammar: none may have an error, and the highlights must apply.

    read.py LIBRARY GRAMMAR RULESHEET…
"""

import ctypes
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
    tree = parser.parse(Path(file).read_bytes())
    captures = QueryCursor(query).captures(tree.root_node)
    has_colours = {"comment", "variable", "keyword", "keyword.operator", "function", "constant"} <= set(captures)
    if tree.root_node.has_error or not has_colours:
        wrong.append(file)
tree = parser.parse(b"(role white) ; c\n(<= terminal (true (at ?x 3 8_1)))")
shape = str(tree.root_node)
expected = (
    "(source_file (list name: (name) argument: (name)) (comment) (rule head: (name) condition: "
    "(list name: (name) argument: (list name: (name) argument: (variable) argument: (number) argument: (name)))))"
)
if shape != expected:
    wrong.append(shape)
print(f"{len(files)} rulesheets read by the grammar, {len(wrong)} wrong: {wrong}")
sys.exit(bool(wrong) or not files)
