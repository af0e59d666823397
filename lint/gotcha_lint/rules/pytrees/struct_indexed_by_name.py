from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Body, Index, Store
from gotcha_lint.analysis.syntax import asks_its_type, dotted, literal, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.classes import DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.facts.fields import TRAIN_STATE_FIELDS
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_UPDATES = frozenset({"replace", "_replace", "_asdict", "apply_gradients", "apply_fn"})


class StructIndexedByName(Rule):
    """Reads a field of a state as if the state were a dictionary.

    ## What happens
    `TypeError: 'State' object is not subscriptable` for a class of `flax.struct`, a dataclass or a
    `TrainState`; `TypeError: tuple indices must be integers or slices, not str` for a NamedTuple.
    All are pytrees as dictionaries are, and code goes from one to the other; under `jit` it shows
    at the first call.

    ## Instead
    `state.params`; an update is `state.replace(params=...)`, `state._replace(params=...)`.

    ## Not reported
    Classes with `__getitem__`, or of which a base is not known; `chex.dataclass`, which may be
    indexed; names that are no fields; an argument of which only its annotation tells, and that is
    not used as an object of the class besides; functions that ask for the type.

    ## In a run
    Python's own message, which names the class and neither the field nor the cure.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import struct


                @struct.dataclass
                class State:
                    params: jax.Array
                    step: int


                @jax.jit
                def decay(state: State) -> State:
                    return state.replace(params=0.9 * state["params"])  # ! struct-indexed-by-name


                state = decay(State(jnp.ones(3), 0))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import struct


                @struct.dataclass
                class State:
                    params: jax.Array
                    step: int


                @jax.jit
                def decay(state: State) -> State:
                    return state.replace(params=0.9 * state.params)


                state = decay(State(jnp.ones(3), 0))
            """,
            raises="not subscriptable",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        stores = {id(store.node): store for store in site.of(Store)}
        reads = (read for read in site.of(Index) if id(read.node) not in stores)
        for place in (*reads, *stores.values()):
            node, base = place.node, place.base
            if not isinstance(node, cst.Subscript) or not _name_in(node):
                continue
            if not _is_struct(site, base) or not _is_surely(site, node, _struct_fields(site, base)):
                continue
            if not expected_to_fail(site, node):
                owner, fix = text_of(node.value), None
                whole = f"{owner}.{_name_in(node)}"
                if isinstance(place, Index):
                    fix = Rewrite(f"Write `{whole}`", (Change(node, text=whole),))
                yield Report(
                    node,
                    f"`{owner}` is a `{base.of.rpartition('.')[2]}`, which has fields and no "
                    f"items: this raises TypeError; write `{whole}`",
                    fix,
                )


def _name_in(node: cst.CSTNode) -> str:
    """`params` of `state["params"]`."""
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=value))]):
            name = literal(value)
            return name if isinstance(name, str) else ""
    return ""


def _is_surely(body: Body, node: cst.Subscript, fields: frozenset[str]) -> bool:
    """The class has the field, and the object was made here or is used as one of the class.

    An annotation alone may tell of another class than the one that comes.
    """
    thing = dotted(node.value) or "?"
    if _name_in(node) not in fields or asks_its_type(body.function.node, thing):
        return False
    calls = (body.call_of(bind.source) for bind in body.of(Bind) if bind.name == thing)
    made = any(call is not None and call.callee.kind is Kind.CLASS for call in calls)
    return made or any(
        isinstance(part, cst.Attribute)
        and part.attr.value in fields | _UPDATES
        and dotted(part.value) == thing
        for part in walk(_outermost(body.function).node)
    )


def _outermost(function: Function) -> Function:
    while function.parent is not None and function.parent.number != 0:
        function = function.parent
    return function


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


def _is_struct(body: Body, value: Value) -> bool:
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


def _struct_fields(body: Body, base: Value) -> frozenset[str]:
    if base.cls is None or body.project is None:
        return TRAIN_STATE_FIELDS
    own, outside = body.project.ancestors(base.cls)
    fields = frozenset(field for one in own for field in body.project.cls(one).fields)
    return fields | TRAIN_STATE_FIELDS if TRAIN_STATE in outside else fields
