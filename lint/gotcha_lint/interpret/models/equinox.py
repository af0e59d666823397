"""Equinox: the layer that draws random numbers."""

from __future__ import annotations

from gotcha_lint.domain.value import Library, Value, only
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.keys import use

_DROPOUT = "equinox.nn.Dropout"


@model(_DROPOUT)
def dropout(call: Call) -> Value:
    """`eqx.nn.Dropout(0.1)`: a layer, which has no state."""
    rate = call.get(0, "p")
    idle = _infers(call) or (rate is not None and rate.constant == 0)
    return Value((), True, call.marks) if idle else only(Library(f"{_DROPOUT}()", call.origin))


@model(f"{_DROPOUT}()")
def drop(call: Call) -> Value:
    """`dropout(x, key=key)`: draws a mask from the key, unless it is told that it infers."""
    key = call.keyword("key")
    if key is not None and not _infers(call):
        use(call.engine, key, "draw", _DROPOUT, call.span)
    return Value((), True, call.marks)


def _infers(call: Call) -> bool:
    told = call.keyword("inference")
    return told is not None and told.constant is True
