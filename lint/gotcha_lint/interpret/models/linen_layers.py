"""Layers of Flax's linen: what they need from the `apply` that runs them.

A dropout that drops needs random numbers; a batch norm that trains writes its statistics. Each
notes what it needs; `apply` sees whether it was given (see `interpret.linen`).
"""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Object, Value, only
from gotcha_lint.interpret.call import Call, family, methods, model
from gotcha_lint.interpret.eager_loops import OF_A_LAYER, OF_A_MODEL
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.linen import BATCH_STATS, DROPOUT, NEEDS, apply_layer, initialised
from gotcha_lint.interpret.models.optax import is_false
from gotcha_lint.interpret.modes import note_drop

_SWITCHES = {
    "Dropout": ("deterministic", DROPOUT),
    "BatchNorm": ("use_running_average", BATCH_STATS),
}


@family("flax.linen.")
def layer(call: Call) -> Value:
    """`nn.Dense(8)`: a module of the library."""
    if not call.short[:1].isupper():
        return Value((), True, call.marks)
    site = call.engine.allocate("layer", call.span, call.short)
    site.info.update(name=call.short, options=dict(call.keywords), args=call.args)
    return only(Object(site, call.origin), call.marks)


@model("flax.nnx.Dropout")
def nnx_dropout(call: Call) -> Value:
    """`nnx.Dropout(0.5, rngs=rngs)`: a layer with a mode."""
    rate = call.get(0, "rate")
    if rate is None or rate.constant == 0:
        return Value((), True, call.marks)
    site = call.engine.allocate("layer", call.span, call.short)
    site.info.update(name="nnx.Dropout", options=dict(call.keywords), args=call.args)
    return only(Object(site, call.origin), call.marks)


@methods("layer()")
def call_layer(call: Call) -> Value:
    """`nn.Dropout(0.1, deterministic=False)(x)`."""
    assert isinstance(call.on, Object)
    info = call.on.site.info
    call.engine.dispatch(OF_A_LAYER)
    if info["name"] == "nnx.Dropout":
        note_drop(call.engine, call.on.site, call.keyword("deterministic"), call.span)
    switch = _SWITCHES.get(info["name"])
    if switch is not None:
        word, need = switch
        chosen = call.keyword(word) or info["options"].get(word)
        rate = info["args"][0] if info["args"] else info["options"].get("rate")
        nothing = need == DROPOUT and (rate is None or rate.constant == 0)
        if chosen is not None and is_false(chosen) and not nothing:
            note(call.engine, NEEDS, need, call.span)
    return Value((), True, call.marks)


@methods("layer")
def layer_method(call: Call) -> Value:
    """`nn.Dense(8).init(key, x)`, `.apply(variables, x)`."""
    if call.short in ("init", "lazy_init"):
        return initialised(call)
    if call.short == "apply":
        apply_layer(call)
        call.engine.dispatch(OF_A_MODEL)
    return Value((), True, call.marks) if call.args else UNKNOWN
