"""What the objects of a project's own classes hold."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.known import STATE_OBJECTS, TRAIN_STATE
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.values import ClassId, Kind, Value, on_device
from gotcha_lint.facts.setting_up import is_set_up
from gotcha_lint.facts.updates import STRUCTS

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
