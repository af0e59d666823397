"""Where nodes stand in the text: found by generating the code once, only for files with findings.

LibCST's own PositionProvider costs three times a parse; a count of tokens costs a third of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState


class _Recorder(CodegenState):
    """Notes before and after which token each node is written."""

    def __init__(self, tree: cst.Module) -> None:
        super().__init__(default_indent=tree.default_indent, default_newline=tree.default_newline)
        self.spans: dict[int, tuple[int, int]] = {}
        self.starts: list[int] = []
        self.comments: list[int] = []

    def before_codegen(self, node: Any) -> None:
        if node.__class__ is cst.Comment:
            self.comments.append(len(self.tokens))
        self.starts.append(len(self.tokens))

    def after_codegen(self, node: Any) -> None:
        start = self.starts.pop()
        self.spans.setdefault(id(node), (start, len(self.tokens)))

    @contextmanager
    def record_syntactic_position(
        self, node: Any, *, start_node: Any = None, end_node: Any = None
    ) -> Iterator[None]:
        start = len(self.tokens)
        yield
        end = len(self.tokens)
        if start_node is not None:
            start = self.spans[id(start_node)][0]
        if end_node is not None:
            end = self.spans[id(end_node)][1]
        self.spans[id(node)] = start, end


class Positions:
    """Offsets (code points) of every node of one tree."""

    def __init__(self, tree: cst.Module, text: str) -> None:
        recorder = _Recorder(tree)
        tree._codegen(recorder)
        self._spans = recorder.spans
        self._offsets = [0, *accumulate(map(len, recorder.tokens))]
        written = "".join(recorder.tokens)
        if written != text:  # LibCST 1.9 forgets a blank (`except (A, B) :`) or a first `\`
            places = _places(written, text)
            self._offsets = [places[offset] for offset in self._offsets]
        self.comments = frozenset(self._offsets[token] for token in recorder.comments)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """First offset and the one after the last; the whole file for a node not written."""
        last = len(self._offsets) - 1
        start, end = self._spans.get(id(node), (0, last))
        return self._offsets[min(start, last)], self._offsets[min(end, last)]


def _places(written: str, text: str) -> list[int]:
    """For each offset of what LibCST writes the one in the text, which has more blanks."""
    places, at = [], 0
    for character in written:
        while at < len(text) and text[at] != character and (text[at].isspace() or text[at] == "\\"):
            at += 1
        places.append(at)
        at += text[at : at + 1] == character
    return [*places, len(text)]
