"""Layers of Flax: the type of their results, and what linen's need from the `apply` that runs them.

A dropout that drops needs random numbers; a batch norm that trains writes its statistics. Each
notes what it needs; `apply` sees whether it was given (see `interpret.layers.linen`). A layer of
nnx holds its parameters itself; those that compute in a type of their own are followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotcha_lint.domain.value import UNKNOWN, Array, Object, Symbol, Value, only
from gotcha_lint.facts.layers import OF_A_LAYER, SHAPES
from gotcha_lint.interpret.arrays import canonical_dtype, dtypes_of
from gotcha_lint.interpret.call import Call, family, methods, model
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.faults.flags import check_kept_on
from gotcha_lint.interpret.keys import use_for_weights
from gotcha_lint.interpret.layers.eager_loops import OF_A_MODEL
from gotcha_lint.interpret.layers.kernels import check_kernel
from gotcha_lint.interpret.layers.linen import (
    BATCH_STATS,
    DROPOUT,
    NEEDS,
    STATISTICS,
    apply_layer,
    initialised,
)
from gotcha_lint.interpret.layers.lost_state import note_changed
from gotcha_lint.interpret.layers.modes import note_drop
from gotcha_lint.interpret.layers.outputs import arrays_of, width_of
from gotcha_lint.interpret.layers.typed_layers import HOLDS, TYPED
from gotcha_lint.interpret.models.optax import is_false
from gotcha_lint.program.ir import Function

_SWITCHES = {
    "Dropout": ("deterministic", DROPOUT),
    "BatchNorm": ("use_running_average", BATCH_STATS),
}
_DROPPING = {  # by the argument that says how much
    "Dropout": "rate",
    "MultiHeadAttention": "dropout_rate",
    "MultiHeadDotProductAttention": "dropout_rate",
    "SelfAttention": "dropout_rate",
}


_ATTEND = "attend"  # of an embedding: logits, as a dense layer with the same weights gives them
_OF_DATA = ("__call__", "forward")  # what they are given is data: its type is no choice


@family("flax.linen.")
def layer(call: Call) -> Value:
    """`nn.Dense(8)`: a module of the library."""
    if not call.short[:1].isupper():
        return Value((), True, call.marks)
    site = call.engine.allocate("layer", call.span, call.short)
    site.info.update(name=call.short, of=call.name, options=dict(call.keywords), args=call.args)
    return only(Object(site, call.origin), call.marks)


@model("flax.nnx.Dropout")
def nnx_dropout(call: Call) -> Value:
    """`nnx.Dropout(0.5, rngs=rngs)`: a layer with a mode."""
    rate = call.get(0, "rate")
    if rate is None or rate.constant == 0:
        return Value((), True, call.marks)
    site = call.engine.allocate("layer", call.span, call.short)
    site.info.update(name="nnx.Dropout", of=call.name, options=dict(call.keywords), args=call.args)
    return only(Object(site, call.origin), call.marks)


@methods("layer()")
def call_layer(call: Call) -> Value:
    """`nn.Dropout(0.1, deterministic=False)(x)`."""
    assert isinstance(call.on, Object)
    info = call.on.site.info
    call.engine.dispatch(OF_A_LAYER)
    call.engine.equations += OF_A_LAYER
    if info["of"] == "flax.nnx.BatchNorm":
        note_changed(call.engine, call.on.site, call.keyword("use_running_average"), call.span)
    if info.get(HOLDS):
        result = layer_result(call, info)
        return Value((), True, call.marks) if result is None else result
    if info["name"] == "nnx.Dropout":
        chosen = call.keyword("deterministic")
        note_drop(call.engine, call.on.site, chosen, call.span)
        note_changed(call.engine, call.on.site, chosen, call.span)
    _note_undecided(call, info)
    check_kernel(call, info)
    switch = _SWITCHES.get(info["name"])
    if switch is not None:
        word, need = switch
        chosen = call.keyword(word) or info["options"].get(word)
        rate = info["args"][0] if info["args"] else info["options"].get("rate")
        nothing = need == DROPOUT and (rate is None or rate.constant == 0)
        if chosen is not None and is_false(chosen) and not nothing:
            note(call.engine, NEEDS, need, call.span)
            check_kept_on(call.engine, call.span)
    if info["name"] == "BatchNorm":
        note(call.engine, NEEDS, STATISTICS, call.span)
    result = layer_result(call, info)
    return Value((), True, call.marks) if result is None else result


def layer_result(call: Call, info: Mapping[str, Any]) -> Value | None:
    """The arrays that a layer gives, as its options say; None for a layer that is not known.

    Without a `dtype` it promotes its parameters and what it is given. A `dtype` that somebody else
    chooses is there to be one of half precision: it may be.
    """
    options = info["options"]
    attends = call.short == _ATTEND
    name = f"{info['of']}.{_ATTEND}" if attends else info["of"]
    if "*" in options or not (name in SHAPES or info["name"] in TYPED):
        return None
    chosen, own = options.get("dtype"), options.get("param_dtype")
    if chosen is not None and chosen.is_none:
        chosen = None
    decides = own if chosen is None and info.get(HOLDS) else chosen
    if decides is not None and _is_open(decides):
        return Value((Array("bfloat16", False, None, "device", call.origin),), True, call.marks)
    types = None if chosen is None else [canonical_dtype(each) for each in dtypes_of(chosen)]
    params = ("float32",) if own is None else dtypes_of(own)
    width = width_of(name, info["args"], options) if name in SHAPES else None
    operand = call.argument(0, "query" if attends else "inputs")
    return Value(arrays_of(name, width, params, types, operand, call.origin), False, call.marks)


def _is_open(chosen: Value) -> bool:
    """A type of which nothing is known but that a configuration, or a caller, has chosen it."""
    if not chosen.atoms:
        return chosen.unknown
    atom = chosen.only
    if not isinstance(atom, Symbol):
        return False
    root = atom.root[0] if isinstance(atom.root, tuple) else None
    return not (isinstance(root, Function) and root.name in _OF_DATA)


def _note_undecided(call: Call, info: Mapping[str, Any]) -> None:
    """Nothing says whether the layer drops: where its rate is not zero, Flax raises."""
    word, options = _DROPPING.get(info["name"]), info["options"]
    switches = ("deterministic", "*", "**")
    if word is None or any(name in options or name in call.keywords for name in switches):
        return
    in_order = info["args"] if info["name"] == "Dropout" else ()
    rate = in_order[0] if in_order else options.get(word)
    if rate is None or rate.constant == 0 or len(in_order) > 1 or (in_order and len(call.args) > 1):
        return
    spread, layer = call.engine.spread, call.on
    places = (call.engine.path, call.span), getattr(layer, "origin", None)
    if any(place in spread for place in places):
        return  # among unknown options
    known = rate.constant is not None and rate.constant > 0
    note(call.engine, "undecided", info["name"], call.span, maybe=not known)


@methods("layer")
def layer_method(call: Call) -> Value:
    """`nn.Dense(8).init(key, x)`, `.apply(variables, x)`."""
    if call.short in ("init", "apply") and isinstance(call.on, Object):
        check_kernel(call, call.on.site.info, place=1)
    if call.short in ("init", "lazy_init"):
        use_for_weights(call.engine, call.argument(0, "rngs"), call.span, "")
        return initialised(call)
    if call.short == "apply":
        apply_layer(call)
        call.engine.dispatch(OF_A_MODEL)
    if call.short == _ATTEND and isinstance(call.on, Object):
        result = layer_result(call, call.on.site.info)
        if result is not None:
            return result
    return Value((), True, call.marks) if call.args else UNKNOWN
