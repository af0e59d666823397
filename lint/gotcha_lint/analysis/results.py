"""What functions outside of the project give back, by their facts; also Python's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.computing import by_method
from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.syntax import names_in
from gotcha_lint.analysis.trees import OWN, note_created, of_tree
from gotcha_lint.analysis.values import (
    HOST,
    NONE,
    OPTIMIZER,
    STATIC,
    UNKNOWN,
    Kind,
    Kwargs,
    Value,
    holds_tracer,
    instance,
    join_all,
    named,
    static,
)
from gotcha_lint.facts import Fact

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

LINEN = "flax.linen.Module"


MODULES = frozenset({LINEN, "flax.nnx.Module", "equinox.Module", "haiku.Module", "flax.nnx.Pytree"})


def of_fact(
    flow: Flow, node: cst.CSTNode, name: str, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    """The result of a call of something outside of the project."""
    every = (*args, *kwargs.values())
    traced = any(map(holds_tracer, every))
    first = args[0] if args else UNKNOWN
    head, _, tail = fact.returns.partition(":")
    match head:
        case "array":
            return flow.fresh(node, Value(Kind.ARRAY, flow.staged or traced))
        case "array-or-host":
            return flow.fresh(node, by_method(first, flow.staged or traced))
        case "arrays":
            item = Value(Kind.ARRAY, flow.staged or traced)
            return Value(Kind.LIST, of="tuple", items=(item,), tracer=item.tracer)
        case "key":
            return flow.fresh(node, Value(Kind.KEY, flow.staged or traced))
        case "keys":
            number = (
                args[1].literal
                if len(args) > 1
                else kwargs["num"].literal
                if "num" in kwargs
                else 2
            )
            return flow.fresh(node, Value(Kind.KEY, flow.staged or traced, literal=number))
        case "host":
            return HOST
        case "host-or-static":
            return STATIC if all(v.kind is Kind.STATIC for v in args) else HOST
        case "tree":
            return Value(Kind.TREE, flow.staged or traced)
        case "none":
            return NONE
        case "same":
            return first
        case "frozen":  # can be hashed, unlike the dict that it was
            return first._replace(of="frozen") if first.of == "dict" else first
        case (
            "device-same"
            | "arrays-of"
            | "unreplicated"
            | "state-dict"
            | "updated"
            | "leaves"
            | "flatten"
        ):
            return of_tree(head, name, first, flow.staged or traced)
        case "host-tree":
            return (
                Value(Kind.HOST) if first.kind is Kind.ARRAY else Value(Kind.LIST, of="host-tree")
            )
        case "copy":
            return first
        case "identity-decorator":  # `wraps(f)` gives back what it is given, and calls no `f`
            return named(f"{name}()")
        case "object":
            if tail == TRAIN_STATE:
                note_created(flow, node, OWN, kwargs)
            return _object(tail, name, every)
        case "shapes":
            return Value(Kind.LIST, of="shapes")
        case "parts":
            return Value(Kind.ITER, items=(HOST,))
        case "loader" | "dataset":
            return Value(Kind.ITER, items=(Value(maybe=True),))
        case "arrays-tree":
            return Value(Kind.LIST, of="tuple", items=(Value(maybe=True),))
        case "initializer" | "schedule":
            return Value(Kind.NAMED, of=f"gotcha.{head}")
        case "cached":
            return first if first.kind is Kind.FUNCTION else Value(Kind.NAMED, of="gotcha.cached")
    if head.startswith("static"):
        return static(head.partition("-")[2])
    if name == "gotcha.cached":
        return first
    if name == "gotcha.initializer":
        return Value(Kind.ARRAY, flow.staged or traced)
    if name == "gotcha.schedule":
        return Value(Kind.ARRAY, traced)
    return _unlisted(flow, node, name, args, kwargs, traced)


def _object(tail: str, name: str, every: tuple[Value, ...]) -> Value:
    if tail == OPTIMIZER:
        parts = frozenset({name}).union(
            *(v.literal for v in every if isinstance(v.literal, frozenset)),
            (v.of for v in every if v.kind is Kind.NAMED),  # inject_hyperparams(optax.adam)
        )
        known = all(v.kind is not Kind.UNKNOWN for v in every) or name not in _COMBINERS
        return instance(tail, literal=parts, maybe=not known)
    if tail == TRAIN_STATE:
        return instance(tail, literal=_parts(every))
    return instance(tail, items=every if tail in _KEEP_ARGUMENTS else ())


def _parts(every: tuple[Value, ...]) -> frozenset[str] | None:
    """What the optimizer among the arguments is made of, if that is known."""
    found = [v for v in every if v.kind is Kind.OBJECT and v.of == OPTIMIZER and not v.maybe]
    return found[0].literal if len(found) == 1 else None


_COMBINERS = frozenset(
    {"optax.chain", "optax.named_chain", "optax.multi_transform", "optax.masked"}
)
_KEEP_ARGUMENTS = frozenset({"flax.nnx.Rngs"})


def _unlisted(
    flow: Flow, node: cst.CSTNode, name: str, args: tuple[Value, ...], kwargs: Kwargs, traced: bool
) -> Value:
    """Python's own functions, layers of model libraries, and the unknown."""
    if name == "builtins.range":
        return static("range", args[-1].literal if len(args) == 1 else None)
    if name in ("builtins.max", "builtins.min", "builtins.sum", "builtins.sorted", "builtins.abs"):
        return _extreme(node, name, args, traced)
    if name in ("builtins.int", "builtins.float", "builtins.bool"):
        return static(name.rpartition(".")[2])
    if name in ("builtins.list", "builtins.tuple", "builtins.reversed", "builtins.iter") and args:
        of = "tuple" if name == "builtins.tuple" else "list"
        if args[0].kind is Kind.LIST:
            return args[0]._replace(of="tuple") if of == "tuple" else args[0]
        if args[0].kind in (Kind.TUPLE, Kind.STATIC):
            return args[0]
        return Value(Kind.LIST, of=of, items=args[0].items, tracer=args[0].tracer)
    if name == "builtins.next" and args:
        return (
            args[0].items[0]
            if args[0].items
            else flow.fresh(node, Value(tracer=args[0].tracer, maybe=True))
        )
    if name in ("builtins.zip", "builtins.enumerate"):
        # `zip(*columns)` is given nothing that is known here.
        return _paired(name, args) if args else Value(tracer=flow.staged, maybe=True)
    if name == "builtins.dict":
        return Value(
            Kind.LIST,
            of="dict",
            items=(join_all(tuple(kwargs.values())),) if kwargs else (),
            tracer=traced,
        )
    if (
        name.startswith(("flax.linen.", "flax.nnx.", "haiku.", "equinox.nn."))
        and name.rpartition(".")[2][:1].isupper()
    ):
        return instance("flax.module")
    if name == "builtins.super":
        return Value(maybe=True)
    return flow.fresh(node, Value(tracer=traced, maybe=True))


def _extreme(node: cst.CSTNode, name: str, args: tuple[Value, ...], traced: bool) -> Value:
    lengths = "len" in names_in(node)
    if name == "builtins.max" and lengths and len(args) == 1:
        return static("int")
    if args and all(v.kind is Kind.STATIC for v in args):
        return static(args[0].of)
    if traced or any(v.kind is Kind.ARRAY for v in args):
        tracer = any(map(holds_tracer, args))
        sure = len(args) > 1 and any(v.tracer and not v.maybe for v in args)
        return Value(Kind.ARRAY if len(args) > 1 else Kind.UNKNOWN, tracer, not sure)
    return UNKNOWN


def _paired(name: str, args: tuple[Value, ...]) -> Value:
    def one(value: Value) -> Value:
        if value.kind in (Kind.ARRAY, Kind.HOST):
            return Value(value.kind, value.tracer, value.maybe)
        if value.kind is Kind.KEY:
            return Value(Kind.KEY, value.tracer)
        if value.items:
            return join_all(value.items)
        if value.kind is Kind.STATIC:
            return STATIC
        return Value(tracer=value.tracer, maybe=True)

    items = tuple(map(one, args))
    if name == "builtins.enumerate":
        items = (static("int"), *items[:1])
    return Value(
        Kind.ITER, items=(Value(Kind.TUPLE, items=items, tracer=any(map(holds_tracer, items))),)
    )


def made_of(cls: Value, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """An object of a class of the project."""
    tracer = any(map(holds_tracer, (*args, *kwargs.values())))
    return instance(cls.of, cls=cls.cls, tracer=tracer)
