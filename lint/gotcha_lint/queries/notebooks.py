"""What a notebook does with the last line of a cell; a script with marked cells is one too."""

from __future__ import annotations

import re

import libcst as cst

from gotcha_lint.analysis.sites import Discard
from gotcha_lint.text.notebook import SEPARATOR

_BETWEEN = SEPARATOR.strip("\n")
# `# %%` of editors, `# +` and `# -` of jupytext, `# In[3]:` of nbconvert.
_MARKER = re.compile(r"#\s?(%%|\+(\s|$)|-$|In\s?\[)")

_Statement = cst.BaseCompoundStatement | cst.SimpleStatementLine


def shown_below_cell(site: Discard) -> bool:
    """The last expression of a cell: the notebook shows its value."""
    model = site.body.model
    if site.body.function.number != 0:
        return False
    statements: list[_Statement] = list(model.tree.body)
    for number, statement in enumerate(statements):
        if statement is site.at.statement:
            if after := statements[number + 1 : number + 2]:
                return begins_cell(after[0])
            return model.path.endswith(".ipynb") or any(map(begins_cell, statements))
    return False


def begins_cell(statement: _Statement) -> bool:
    comments = [line.comment.value for line in statement.leading_lines if line.comment]
    return any(text == _BETWEEN or _MARKER.match(text) for text in comments)
