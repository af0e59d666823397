"""Objects that have fields and no items: states, named tuples, dataclasses."""

from __future__ import annotations

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.classes import DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.facts.fields import TRAIN_STATE_FIELDS

_PLAIN = frozenset({"builtins.object", "object", "typing.Generic", "abc.ABC", "typing.Protocol"})
# By a name they all raise TypeError; `chex.dataclass` makes a mapping of a class.
_STATES = frozenset({TRAIN_STATE, "flax.struct.PyTreeNode", "equinox.Module", NAMED_TUPLE})
_MAKERS = DATACLASS_DECORATORS - {"chex.dataclass", "brax.base.dataclass"}
_REGISTERS = frozenset(
    [
        "jax.tree_util.register_dataclass",
        "jax.tree_util.register_pytree_node_class",
        "functools.partial",
        "typing.final",
    ]
)
_ITEMS = ("__getitem__", "__setitem__")


def is_struct(body: Body, value: Value) -> bool:
    """Certainly an instance of a class that has fields, and no items."""
    project = body.project
    if value.kind is not Kind.OBJECT or value.maybe or project is None:
        return False
    if value.cls is None:
        return value.of == TRAIN_STATE
    outside, decorators = project.ancestors(value.cls)[1], project.decorators(value.cls)
    known = outside <= _STATES | _PLAIN and decorators <= _MAKERS | _REGISTERS
    return (
        known
        and not (outside.isdisjoint(_STATES) and decorators.isdisjoint(_MAKERS))
        and not any(
            project.method(value.cls, name) or project.overrides(value.cls, name) for name in _ITEMS
        )
    )


def struct_fields(body: Body, base: Value) -> frozenset[str]:
    if base.cls is None or body.project is None:
        return TRAIN_STATE_FIELDS
    own, outside = body.project.ancestors(base.cls)
    fields = frozenset(field for one in own for field in body.project.cls(one).fields)
    return fields | TRAIN_STATE_FIELDS if TRAIN_STATE in outside else fields
