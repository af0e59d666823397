"""Fixes that put one branch in the place of another."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.queries.branches import Scan, Unreachable
from gotcha_lint.rule import Change


def swap(scan: Scan, late: Unreachable) -> tuple[Change, ...]:
    """The two branches exchanged; nothing where that could change which of the others runs."""
    early, branch = late.by.branch, late.branch
    if not (late.plain and late.by.plain):
        return ()
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
    return ()


def _within(early: cst.CSTNode, branch: cst.CSTNode) -> tuple[Change, ...]:
    if isinstance(early, cst.If) and isinstance(branch, cst.If):
        current: cst.BaseSuite | cst.If | cst.Else | None = early.orelse
        while isinstance(current, cst.If) and current is not branch:
            if not isinstance(current.test, cst.Call):
                return ()
            current = current.orelse
        return _exchanged((early.test, branch.test), (early.body, branch.body))
    if isinstance(early, cst.MatchCase) and isinstance(branch, cst.MatchCase):
        return _exchanged((early.pattern, branch.pattern), (early.body, branch.body))
    return ()


def _exchanged(*pairs: tuple[cst.CSTNode, cst.CSTNode]) -> tuple[Change, ...]:
    return tuple(Change(a, like=b) for pair in pairs for a, b in (pair, pair[::-1]))
