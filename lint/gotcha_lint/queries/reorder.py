"""Fixes that put one branch in the place of another."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.queries.branches import Scan, Unreachable
from gotcha_lint.rule import Change, Rewrite


def swap(scan: Scan, late: Unreachable) -> Rewrite | None:
    """The two branches exchanged; None where that could change which of the others runs."""
    early, branch = late.by.branch, late.branch
    if not (late.plain and late.by.plain):
        return None
    if late.chain == late.by.chain:
        return _within(early, branch)
    if (
        isinstance(early, cst.If)
        and isinstance(branch, cst.If)
        and early.orelse is None
        and branch.orelse is None
        and scan.next_of.get(id(early)) is branch
    ):
        return _exchanged((early, branch))
    return None


def _within(early: cst.CSTNode, branch: cst.CSTNode) -> Rewrite | None:
    if isinstance(early, cst.If) and isinstance(branch, cst.If):
        current: cst.BaseSuite | cst.If | cst.Else | None = early.orelse
        while isinstance(current, cst.If) and current is not branch:
            if not isinstance(current.test, cst.Call):
                return None
            current = current.orelse
        return _exchanged((early.test, branch.test), (early.body, branch.body))
    if isinstance(early, cst.MatchCase) and isinstance(branch, cst.MatchCase):
        return _exchanged((early.pattern, branch.pattern), (early.body, branch.body))
    return None


def _exchanged(*pairs: tuple[cst.CSTNode, cst.CSTNode]) -> Rewrite:
    changes = [Change(a, like=b) for pair in pairs for a, b in (pair, pair[::-1])]
    return Rewrite("test for the more specific class first", tuple(changes))
