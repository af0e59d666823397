"""The small statements of the line that a place stands in."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import At


def small_statements(at: At) -> tuple[cst.BaseSmallStatement, ...]:
    """`a = 1; b = 2` has two; a compound statement has none."""
    line = at.statement
    return tuple(line.body) if isinstance(line, cst.SimpleStatementLine) else ()
