from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Body, Index, Store
from gotcha_lint.analysis.syntax import dotted, literal, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.array_uses import asks_its_type
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.structs import is_struct, struct_fields
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
            if not is_struct(site, base) or not _is_surely(site, node, struct_fields(site, base)):
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
