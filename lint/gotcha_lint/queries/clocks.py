"""Times that nobody looks at, or that are meant to end where they do."""

from __future__ import annotations

import re

import libcst as cst

from gotcha_lint.analysis.sites import Body, Operate
from gotcha_lint.analysis.unread import is_read
from gotcha_lint.queries.small import small_statements
from gotcha_lint.rule import text_of

_COMPILING = re.compile("compil(?!ed|er)|warm_?up", re.IGNORECASE)


def is_shown(body: Body, place: Operate) -> bool:
    """The difference of the clocks is read, and not meant to be the time to compile.

    What is compiled is compiled when the call returns.
    """
    if any(map(_COMPILING.search, (body.function.name, text_of(place.at.statement)))):
        return False
    for small in small_statements(place.at):
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                if value is place.node:
                    return is_read(body.function, name)
    return True
