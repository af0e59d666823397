"""Haiku: a transformed function is an object with `init` and `apply`, new at each transform."""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Object, Tuple, Value, only
from gotcha_lint.interpret.call import Call, methods, model
from gotcha_lint.interpret.faults.remarks import note_eager_init
from gotcha_lint.interpret.keys import use
from gotcha_lint.interpret.layers.eager_loops import OF_A_MODEL

_STATE = "haiku with state"
_PLAIN = "haiku"


@model(
    "haiku.transform",
    "haiku.transform_with_state",
    "haiku.multi_transform",
    "haiku.multi_transform_with_state",
    "haiku.without_apply_rng",
    "haiku.without_state",
)
def transform(call: Call) -> Value:
    """A `Transformed`: its functions are new ones, whatever function it is made of."""
    inner = call.argument(0, "f")
    atom = inner.only
    if isinstance(atom, Object) and atom.site.info.get("name") in (_STATE, _PLAIN):
        inner = atom.site.info["inner"]
    site = call.engine.allocate("object", call.span, call.short)
    with_state = "with_state" in call.short
    site.info.update(name=_STATE if with_state else _PLAIN, inner=inner)
    return only(Object(site, call.origin))


@methods(f"object:{_PLAIN}", f"object:{_STATE}")
def transformed_method(call: Call) -> Value:
    """`apply(params, [state,] rng, *args)` runs the function; parameters are not followed."""
    assert isinstance(call.on, Object)
    with_state = call.on.site.info["name"] == _STATE
    if call.short not in ("apply", "init"):
        return UNKNOWN
    skipped = 1 if call.short == "init" else 2 + with_state
    keywords = {name: value for name, value in call.keywords.items() if name != "rng"}
    rng = call.get(skipped - 1, "rng")
    if rng is not None:
        use(call.engine, rng, "given", call.short, call.span)
    inner = call.on.site.info["inner"].only
    if call.short == "init" and isinstance(inner, Object) and inner.site.kind == "function":
        note_eager_init(call.engine, inner.site.info["function"], call.span)
    before = call.engine.dispatches
    out = call.engine.call(call.on.site.info["inner"], call.args[skipped:], keywords, call.span)
    call.engine.dispatch(max(before + OF_A_MODEL - call.engine.dispatches, 0))
    if call.short == "init":
        return UNKNOWN
    return only(Tuple((out, UNKNOWN))) if with_state else out
