"""What a notebook does with the last line of a cell."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Discard
from gotcha_lint.notebook import SEPARATOR

_BETWEEN = SEPARATOR.strip("\n")


def shown_below_cell(site: Discard) -> bool:
    """The last expression of a cell: the notebook shows its value."""
    model = site.body.model
    if site.body.function.number != 0 or not model.path.endswith(".ipynb"):
        return False
    below: list[cst.BaseCompoundStatement | cst.SimpleStatementLine] = list(model.tree.body)
    for number, statement in enumerate(below):
        if statement is site.at.statement:
            after = below[number + 1 :]
            return not after or _begins_cell(after[0])
    return False


def _begins_cell(statement: cst.BaseCompoundStatement | cst.SimpleStatementLine) -> bool:
    comments = [line.comment for line in statement.leading_lines]
    return any(comment is not None and comment.value == _BETWEEN for comment in comments)
