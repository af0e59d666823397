"""Metrics of nnx: `update` adds to sums on the device, and `compute` divides them there."""

from __future__ import annotations

from gotcha_lint.domain.freshness import given_by
from gotcha_lint.domain.tracers import as_tracer
from gotcha_lint.domain.value import NONE, UNKNOWN, Array, Mapping, Object, Value, only
from gotcha_lint.interpret.call import Call, methods, model
from gotcha_lint.interpret.containers.building import new_dict
from gotcha_lint.interpret.effects import QUEUED, note

_NAME, _PARTS = "metric", "parts"
_OPERATIONS = {"update": 4, "compute": 1, "reset": 2}  # of an average, one by one (flax 0.12)


@model("flax.nnx.metrics.Average", "flax.nnx.metrics.Accuracy")
def metric(call: Call) -> Value:
    """`nnx.metrics.Average("loss")`."""
    return _metric(call, None)


@model("flax.nnx.MultiMetric", "flax.nnx.metrics.MultiMetric")
def metrics(call: Call) -> Value:
    """`nnx.MultiMetric(loss=nnx.metrics.Average("loss"))`: one metric for each keyword."""
    return _metric(call, tuple(call.keywords))


def _metric(call: Call, parts: tuple[str, ...] | None) -> Value:
    site = call.engine.allocate("object", call.span, _NAME)
    site.info.update({"name": _NAME, _PARTS: parts})
    return only(Object(site, call.origin))


@methods(f"object:{_NAME}")
def metric_method(call: Call) -> Value:
    """What `compute` gives is there when all is done that was queued before it."""
    assert isinstance(call.on, Object)
    if call.short not in _OPERATIONS:
        return UNKNOWN
    parts: tuple[str, ...] | None = call.on.site.info[_PARTS]
    call.engine.dispatch(_OPERATIONS[call.short] * (1 if parts is None else len(parts)))
    if call.short != "compute":
        return NONE
    if not call.engine.traced:
        note(call.engine, QUEUED, "metric", call.span)
    array = only(Array("float32", False, (), "device", call.origin))
    result = given_by(as_tracer(array) if call.engine.traced else array, call.origin)
    if parts is None:
        return result
    rest = result if "*" in parts else None  # `**` of an unknown dict
    named = tuple(name for name in parts if name != "*")
    return new_dict(call.engine, Mapping(named, (result,) * len(named), rest), call.span)
