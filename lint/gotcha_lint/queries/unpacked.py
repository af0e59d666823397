"""Names that stand for the first of several results."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.queries.small import small_statements


def first_of(site: Call, node: cst.CSTNode) -> Call | None:
    """The call whose first result this is, as in `a, b = f(x)`; also `f(x)[0]`."""
    match node:
        case cst.Name(value=name):
            binds = [b for b in site.body.of(Bind) if b.name == name and b.at.order < site.at.order]
            return _unpacked(binds[-1]) if binds else None
        case cst.Subscript(
            value=made, slice=[cst.SubscriptElement(slice=cst.Index(value=place))]
        ) if literal(place) == 0:
            return site.body.call_of(Flowing(site.body, site.at).resolve(made))
    return None


def _unpacked(bind: Bind) -> Call | None:
    for line in small_statements(bind.at):
        match line:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Tuple(elements=[first, _, *_]))], value=made
            ) if first.value is bind.node:
                return bind.body.call_of(made)
    return None
