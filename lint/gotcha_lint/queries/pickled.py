"""What a call hands to pickle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.known import STATE_OBJECTS, TRAIN_STATE
from gotcha_lint.analysis.sites import Bind, Body, Call, Store
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.trees import ANYTHING
from gotcha_lint.analysis.values import ClassId, Kind, Value, on_device
from gotcha_lint.facts.setting_up import is_set_up
from gotcha_lint.facts.updates import STRUCTS
from gotcha_lint.finding import Confidence

_POOLS = ("multiprocessing.Pool.", "concurrent.futures.ProcessPoolExecutor.")
_SENT = 3  # arguments by position that a Pool pickles; its callbacks come after them
_STAYS = frozenset({"callback", "error_callback"})
_JAX = frozenset({"jax", "flax", "optax", "haiku", "equinox", "orbax"})
# Names that hold arrays on the device wherever JAX is used.
_STATE = frozenset(
    ["params", "opt_state", "train_state", "batch_stats", "model_state", "ema_params", "opt_states"]
)


class Pickled(NamedTuple):
    node: cst.BaseExpression
    value: Value
    sink: str  # the function, as messages call it
    place: Call | Store


def pickled(body: Body) -> Iterator[Pickled]:
    """Everything that this function pickles, as far as is known."""
    for call in body.of(Call):
        position = body.fact(call).pickles if call.name and not call.decorator else None
        if position is None or call.starred:
            continue
        if call.name.startswith(_POOLS):
            yield from _sent(call)
            continue
        node = call.arg_node(position, "obj", "value")
        value = call.arg(position, "obj", "value")
        if node is not None and value is not None:
            yield Pickled(node, value, call.name, call)
    for store in body.of(Store):
        if store.base.of == "shelve.Shelf" and isinstance(store.node, cst.Subscript):
            yield Pickled(store.node, store.value, "shelve.Shelf", store)


def _sent(call: Call) -> Iterator[Pickled]:
    """What a pool's method sends to another process: the function, and what it is given."""
    words = [arg.keyword.value if arg.keyword else "" for arg in call.node.args]
    most = _SENT if call.name.startswith(_POOLS[0]) else len(words)
    values = iter(call.args[:most])
    for word, arg in zip(words, call.node.args, strict=True):
        value = call.kwargs.get(word) if word else next(values, None)
        if value is not None and word not in _STAYS:
            yield Pickled(arg.value, value, call.name, call)


def holds_device_arrays(body: Body, one: Pickled) -> Confidence | None:
    """How sure it is that arrays on the device are pickled here."""
    tree = one.sink == "numpy.save"  # an array alone is written as an array
    if _loaded_at_once(body, one):
        return None
    if (
        _on_device(one.value)
        and not one.value.tracer
        and not (tree and (one.value.kind is Kind.ARRAY or one.value.of == ANYTHING))
    ):
        return "high"
    if _holds_state(body, one.value):
        return "medium"
    if (
        (tree and not _pickles_trees(one))
        or not _uses_jax(body)
        or (one.value.maybe and one.value.kind is not Kind.UNKNOWN)
    ):
        return None
    return "medium" if any(_named_state(body, node) for node in parts(one.node)) else None


def _on_device(value: Value) -> bool:
    """Arrays, or a container of them; a random key is a few bytes, which may stay as they are."""
    if value.kind in (Kind.TUPLE, Kind.LIST):
        return not value.maybe and any(map(_on_device, value.items))
    return on_device(value) and value.kind is not Kind.KEY


def _holds_state(body: Body, value: Value) -> bool:
    """A pytree of the project's own, whose fields are given arrays on the device."""
    if value.maybe or value.tracer or pickles_itself(body, value):
        return False
    return holds_arrays(body, value)


def _pickles_trees(one: Pickled) -> bool:
    """`np.save` is told that it may pickle: so it is no single array."""
    allowed = one.place.kwargs.get("allow_pickle") if isinstance(one.place, Call) else None
    return allowed is not None and allowed.literal is True


def _loaded_at_once(body: Body, one: Pickled) -> bool:
    """`loads(dumps(x))`: a copy, or a test of pickling."""
    return any(
        call.name.endswith(".loads") and call.arg_node(0) is one.place.node
        for call in body.of(Call)
    )


def _uses_jax(body: Body) -> bool:
    return any(name.partition(".")[0] in _JAX for name in body.model.imports)


def parts(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The expression, or those that a dict, tuple or list is written out of."""
    if isinstance(node, cst.Dict | cst.Tuple | cst.List):
        for element in node.elements:
            yield from parts(element.value)
    else:
        yield node


def _named_state(body: Body, node: cst.BaseExpression) -> bool:
    """A parameter or an attribute with the name of a state, of which nothing else is known."""
    name = dotted(node)
    if name is None or name.rpartition(".")[2] not in _STATE:
        return False
    head, dot, _ = name.partition(".")
    holder = body.names.get(head) or Value()
    if _fetched_before(body, name):
        return False
    if holder.kind is Kind.OBJECT and holder.cls is not None and dot and not holder.maybe:
        held = dict(fields_of(body, holder)).get(name.rpartition(".")[2])
        if held is not None:
            return held.kind in (Kind.ARRAY, Kind.TREE)
        return not name.endswith(".params") or head in {p.name for p in body.function.params}
    params = {param.name: param for param in body.function.params}
    if head not in params or any(
        bind.name == head and bind.source is not None for bind in body.of(Bind)
    ):
        return False
    return bool(dot) or holder.kind in (Kind.UNKNOWN, Kind.TREE)


def _fetched_before(body: Body, name: str) -> bool:
    """`state.params = jax.device_get(state.params)`, or something else put there."""
    stores = (store.node for store in body.of(Store))
    return any(isinstance(node, cst.Attribute) and dotted(node) == name for node in stores)


# What the objects of a project's own classes hold

_REGISTERS = STRUCTS | {
    "jax.tree_util.register_dataclass",
    "jax.tree_util.register_pytree_node_class",
    "chex.dataclass",
}
_TREES = (*STRUCTS, "typing.NamedTuple", "equinox.Module")
_OWN_WAY = frozenset({"__getstate__", "__reduce__", "__reduce_ex__"})


def fields_of(body: Body, value: Value) -> Iterator[tuple[str, Value]]:
    """The attributes of an object, with what they are known to hold."""
    if value.kind is Kind.OBJECT and value.cls is not None and body.project is not None:
        for cid in body.project.ancestors(value.cls)[0]:
            yield from body.usage.fields.get(cid, {}).items()


def pickles_itself(body: Body, value: Value) -> bool:
    """Its class says what of it is pickled."""
    if value.cls is None or body.project is None:
        return False
    cls, project = value.cls, body.project
    below = value.param != ""  # `self` may be of a class below
    return any(
        project.method(cls, name) or (below and project.overrides(cls, name)) for name in _OWN_WAY
    )


def kept_by(body: Body, value: Value) -> Iterator[tuple[str, Value]]:
    """What methods store in the object itself, and so is pickled with it: not the class's own."""
    for name, held in fields_of(body, value):
        assert body.project is not None and value.cls is not None
        above = body.project.ancestors(value.cls)[0]
        stored = ((cid, who) for cid in above for who in body.usage.stored.get((cid, name), ()))
        if not held.maybe and any(_has_run(body, cid, who) for cid, who in stored):
            yield name, held


def _has_run(body: Body, cid: ClassId, writer: str) -> bool:
    """A method that sets up, or that set-up or this function calls; no method runs by itself."""
    assert body.project is not None
    method = body.project.method(cid, writer)
    if method is None or is_set_up(writer):
        return True
    here, seen, waiting = (body.model.path, body.function.number), {method}, [method]
    while waiting:
        new = body.usage.callers.get(waiting.pop(), frozenset()) - seen
        if here in new or any(is_set_up(body.project.function(fid).name) for fid in new):
            return True
        seen |= new
        waiting += new
    return False


def is_tree(body: Body, value: Value) -> bool:
    """An object of the project that is a pytree, so that `jax.device_get` looks inside."""
    if value.kind is not Kind.OBJECT or value.cls is None or body.project is None:
        return False
    if not body.project.decorators(value.cls).isdisjoint(_REGISTERS):
        return True
    return body.project.is_a(value.cls, *_TREES)


def _is_state(body: Body, value: Value) -> bool:
    if value.of in STATE_OBJECTS:
        return True
    return (
        value.cls is not None
        and body.project is not None
        and body.project.is_a(value.cls, TRAIN_STATE)
    )


def holds_arrays(body: Body, value: Value) -> bool:
    """A pytree of the project's own, with fields that are given arrays on the device."""
    if not is_tree(body, value):
        return False
    return any(held.kind in (Kind.ARRAY, Kind.TREE) for _, held in fields_of(body, value))


def made_on_device(body: Body, value: Value) -> bool:
    """Certainly holds arrays on the device, keys aside: an array, a tree, or an object of them."""
    if value.maybe or value.kind is Kind.KEY:
        return False
    if value.kind in (Kind.TUPLE, Kind.LIST):
        return any(made_on_device(body, item) for item in value.items)
    if value.kind is Kind.OBJECT:
        if _is_state(body, value) or holds_arrays(body, value):
            return True
        return any(
            on_device(held) and held.kind is not Kind.KEY for _, held in fields_of(body, value)
        )
    return on_device(value)
