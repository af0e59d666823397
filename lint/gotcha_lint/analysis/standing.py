"""Where a place of a function stands: in which loops, under which conditions."""

from __future__ import annotations

from typing import Literal, NamedTuple

import libcst as cst

from gotcha_lint.analysis.values import Value


class Loop(NamedTuple):
    node: cst.CSTNode
    kind: Literal["for", "while", "comprehension"]
    names: frozenset[str]  # its targets
    over: Value
    short: bool  # runs a fixed, small number of times: set-up, not a training loop


class Guard(NamedTuple):
    """An `if` around a place; `when` is False in its else branch."""

    test: cst.CSTNode
    when: bool


class At(NamedTuple):
    """Where a site stands within its function."""

    statement: cst.CSTNode
    order: int
    loops: tuple[Loop, ...] = ()
    guards: tuple[Guard, ...] = ()

    def is_passed_by(self, later: At) -> bool:
        """Whoever comes to the later place came through the branches of this one."""
        return later.guards[: len(self.guards)] == self.guards
