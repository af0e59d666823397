"""What `base.name` holds: members of modules and of objects, methods that are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis import known
from gotcha_lint.analysis.flattening import may_be_auxiliary
from gotcha_lint.analysis.names import of_symbol
from gotcha_lint.analysis.propagation import lasts, propagate
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.trees import of_created
from gotcha_lint.analysis.values import (
    ANY,
    DEVICE_KINDS,
    GETTERS,
    TRACER,
    UNKNOWN,
    ClassId,
    FunctionId,
    Kind,
    Value,
    defined,
    holds_tracer,
    join,
    named,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

# Methods that are told apart by the class of their object.
_METHODS_OF: dict[str, frozenset[str]] = {
    "optax.GradientTransformation": frozenset({"init", "update"}),
    "jax.Ref": frozenset({"get", "set"}),
    "haiku.Transformed": frozenset({"init", "apply"}),
    "flax.nnx.Optimizer": frozenset({"update"}),
    "orbax.checkpoint.StandardCheckpointer": frozenset(
        {"save", "restore", "wait_until_finished", "close"}
    ),
    "orbax.checkpoint.AsyncCheckpointer": frozenset(
        {"save", "restore", "wait_until_finished", "close"}
    ),
    "orbax.checkpoint.PyTreeCheckpointer": frozenset({"save", "restore"}),
    "orbax.checkpoint.CheckpointManager": frozenset(
        {"save", "restore", "wait_until_finished", "close"}
    ),
}


def on_attribute(flow: Flow, node: cst.Attribute) -> Value:
    state, full = flow.state, dotted(node)
    if full is not None and state is not None:
        held = state.env.get(full)
        if held is not None:
            return held
    base = flow.eval(node.value)
    value = attribute(flow, base, node.attr.value)
    if base.kind is Kind.OBJECT and base.cls is not None:
        note_cached(flow, node, base)
    if full is not None and state is not None and full.startswith("self."):
        if value.kind in (Kind.KEY, Kind.UNKNOWN) and value.ident == 0:
            value = flow.fresh(node, value)
        flow.assign_attribute(full, value)
    return value


def attribute(flow: Flow, base: Value, name: str) -> Value:
    """What `base.name` holds."""
    return of_created(flow, base, name, _attribute(flow, base, name))


def _attribute(flow: Flow, base: Value, name: str) -> Value:
    if base.kind is Kind.NAMED:
        if base.literal is not None and not base.of:  # a project's module
            symbol = flow.project.member(base.literal, [name])
            return of_symbol(flow, symbol) if symbol else UNKNOWN
        return of_symbol(flow, flow.project.symbol(f"{base.of}.{name}", flow.model.path))
    if base.kind in (Kind.OBJECT, Kind.CLASS) and base.cls is not None:
        return _member(flow, base, name)
    if base.kind is Kind.OBJECT and base.of in _METHODS_OF and name in _METHODS_OF[base.of]:
        return named(f"{base.of}.{name}")._replace(self_=(base,), literal=base.literal)
    found = known.attribute(base, name)
    if found is not None:
        return found
    return Value(tracer=base.tracer, maybe=True) if base.tracer else UNKNOWN


def _member(flow: Flow, base: Value, name: str) -> Value:
    """An attribute or a method of an instance of a project's class."""
    assert base.cls is not None
    project = flow.project
    for ancestor in project.ancestors(base.cls)[0]:
        stored = flow.view.get(("attr", ancestor, name))
        number = project.cls(ancestor).methods.get(name)
        if number is not None:
            return _or_below(flow, base, name, _method(flow, base, (ancestor[0], number), stored))
        if stored is not None:
            stored = _or_any(flow, base.cls, stored)
            if base.tracer and may_be_auxiliary(flow, base.cls, name):
                return stored._replace(maybe=True)
            leaf = base.tracer and _is_leaf(flow, ancestor, name, stored)
            whole = TRACER._replace(maybe=base.maybe)
            return whole if leaf else _field(base, stored)
    abstract = _or_below(flow, base, name, UNKNOWN)
    if abstract is not UNKNOWN:
        return abstract
    value = known.attribute(base, name)
    if value is not None:
        return value
    if flow.project.is_a(base.cls, known.TRAIN_STATE):
        found = known.attribute(base._replace(of=known.TRAIN_STATE), name)
        return found or UNKNOWN
    return Value(tracer=base.tracer, maybe=True)


def _or_below(flow: Flow, base: Value, name: str, method: Value) -> Value:
    """`self` may be of a class below, which has a method of its own."""
    own = flow.function.self_name
    if not own or base.param != own or base.cls is None or base.kind is not Kind.OBJECT:
        return method
    if method.via:
        return method
    if method.kind not in (Kind.FUNCTION, Kind.UNKNOWN):
        return method
    below = frozenset(
        fid
        for fid in flow.project.overrides(base.cls, name)
        if flow.project.function(fid).binds == "self"
        and not flow.project.function(fid).decorated
        and not _replaced(flow, fid)
    )
    if not below:
        return method
    if method.kind is Kind.UNKNOWN:
        method = Value(Kind.FUNCTION, bound=1, self_=(base,), made="method")
    return method._replace(targets=method.targets | below)


def _replaced(flow: Flow, fid: FunctionId) -> bool:
    """The class of that method has a method of its own for the one that asks for it here."""
    name, cls = flow.function.name, flow.project.function(fid).cls
    if cls is None or name in _EXTENDED:
        return False
    return name in flow.project.cls((fid[0], cls)).methods


_EXTENDED = ("__init__", "__post_init__", "setup")  # these call the one that they replace


def note_setattr(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...]) -> None:
    """`setattr(self, name, value)` with a name that is no literal: any attribute may hold it."""
    if len(args) != 3 or args[0].cls is None or args[1].literal is not None:
        return
    flow.effect(("attr", args[0].cls, ANY), args[2]._replace(param="", ident=0, tracer=False))
    owner = dotted(node.args[0].value) if isinstance(node, cst.Call) else None
    if owner is not None and flow.state is not None:
        for name in [name for name in flow.state.env if name.startswith(f"{owner}.")]:
            del flow.state.env[name]


def _or_any(flow: Flow, cid: ClassId, stored: Value) -> Value:
    for ancestor in flow.project.ancestors(cid)[0]:
        anything = flow.view.get(("attr", ancestor, ANY))
        stored = stored if anything is None else join(stored, anything)
    return stored


def _is_leaf(flow: Flow, cid: ClassId, name: str, stored: Value) -> bool:
    """A field that its annotation calls an array, and that no traced code gives a plain value."""
    if stored.kind not in (Kind.ARRAY, Kind.UNKNOWN) or not flow.view.get(("promised", cid, name)):
        return False
    return not flow.view.get(("plain", cid, name))


def note_plain(flow: Flow, cid: ClassId, name: str, value: Value) -> None:
    """Tells that traced code puts something that is no tracer into a field."""
    if flow.body.trace is not None and value.kind not in DEVICE_KINDS and not holds_tracer(value):
        flow.effect(("plain", cid, name), True)


def _field(base: Value, stored: Value) -> Value:
    if base.tracer and stored.kind in (Kind.ARRAY, Kind.KEY, Kind.TREE):
        return stored._replace(tracer=True)
    if base.tracer and stored.kind is Kind.UNKNOWN:
        return stored._replace(tracer=True, maybe=True)
    return stored


def _method(flow: Flow, base: Value, fid: tuple[str, int], stored: Value | None) -> Value:
    summary = flow.project.function(fid)
    value = stored if stored is not None and stored.kind is Kind.FUNCTION else defined(fid)
    if summary.binds == "" or (summary.binds == "self" and base.kind is Kind.CLASS):
        return value
    if stored is not None and stored.literal in GETTERS.values():
        return flow.view.get(("return", fid)) or UNKNOWN
    if value.made == "method":
        return value  # `self.step = jax.jit(self.step)`: what is stored is bound already
    return value._replace(bound=value.bound + 1, self_=(base,), made="method")


# Reads of a `cached_property`: the first one runs its getter, in the trace that it stands in

_CACHED = GETTERS["functools.cached_property"]


def note_cached(flow: Flow, node: cst.Attribute, base: Value) -> None:
    """Tells the getter who reads it; not where the object may be one of this trace alone."""
    assert base.cls is not None
    name = node.attr.value
    getter = flow.project.method(base.cls, name)
    number = flow.project.function(getter).cls if getter is not None else None
    if getter is None or number is None:
        return
    stored = flow.view.get(("attr", (getter[0], number), name))
    if stored is None or stored.literal != _CACHED:
        return
    if flow.body.trace is None or lasts(flow, node.value, base):
        propagate(flow, node, getter, defined(getter))
