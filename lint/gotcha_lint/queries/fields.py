"""The fields of a named tuple or a dataclass, in the order in which a call fills them."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import ClassId, Kind
from gotcha_lint.facts.classes import DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.facts.fields import FIELDS
from gotcha_lint.queries.constants import constant

_BASES = frozenset({"flax.struct.PyTreeNode", "equinox.Module", "builtins.object", "object"})


def fields_filled(call: Call) -> tuple[str, ...]:
    """Nothing where what is called is no such class, or its order is not known."""
    project, callee = call.body.project, call.callee
    if project is not None and callee.kind is Kind.CLASS and callee.cls is not None:
        return _of_class(project, callee.cls)
    if isinstance(call.node.func, cst.Name) and callee.kind is not Kind.FUNCTION:
        return FIELDS.get(call.name) or _of_factory(constant(call.body, call.node.func.value))
    return FIELDS.get(call.name, ())


def _of_class(project: Project, cid: ClassId) -> tuple[str, ...]:
    own, outside = project.ancestors(cid)
    if any(project.method(cid, name) for name in ("__init__", "__new__")):
        return ()
    if outside == {NAMED_TUPLE}:
        return project.cls(cid).fields if len(own) == 1 else ()
    known = outside <= _BASES and all(len(project.cls(one).bases) <= 1 for one in own)
    if known and (outside or not project.decorators(cid).isdisjoint(DATACLASS_DECORATORS)):
        every = (field for one in reversed(own) for field in project.cls(one).fields)
        return tuple(dict.fromkeys(every))
    return ()


def _of_factory(made: cst.BaseExpression | None) -> tuple[str, ...]:
    """`Step = namedtuple("Step", ["state", "action"])`, also with the names in one string."""
    match made:
        case cst.Call(
            func=cst.Name(value="namedtuple") | cst.Attribute(attr=cst.Name(value="namedtuple")),
            args=[_, cst.Arg(value=names), *_],
        ):
            told = literal(names)
            words = told.replace(",", " ").split() if isinstance(told, str) else told
            return tuple(words or ())
    return ()
