"""Probabilities: where logits are expected, and under a logarithm."""

from __future__ import annotations

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.optax import LOGIT_LOSSES
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.elements import elements_of
from gotcha_lint.interpret.faults.remarks import DOUBLE_SOFTMAX, remark
from gotcha_lint.interpret.machine import Machine


def check_logits(call: Call) -> None:
    """Probabilities, where a loss or a draw takes logits."""
    draws = call.name == "jax.random.categorical"
    if not draws and call.name not in LOGIT_LOSSES:
        return
    given = call.get(1 if draws else 0, "logits")
    known = elements_of(given) if given is not None else None
    made = known.made if known is not None else ""
    if made in ("softmax", "softmax by hand") or (made == "sigmoid" and not draws):
        origin = getattr(given.only, "origin", None) if given is not None else None
        about = None if origin is None else _lines_around(call.engine, origin)
        places = () if origin is None else ((*origin, "turned into probabilities here"),)
        own = call.engine.activation.function
        elsewhere = about is None or not about[1] <= own.line <= about[2]
        chosen = elsewhere and bool(call.engine.guards)  # a flag may say what is given
        remark(
            call.engine, DOUBLE_SOFTMAX, call.span, call.short, places=places, about=about,
            maybe=chosen,
        )  # fmt: skip


def _lines_around(machine: Machine, at: Origin) -> tuple[str, int, int] | None:
    """Path, first and last line of the innermost function that a place is in."""
    module, line = machine.modules.get(at[0]), at[1][0]
    if module is None:
        return None
    around = [f for f in module.functions if not f.is_module and f.line <= line <= f.end_line]
    inner = max(around, key=lambda f: f.line) if around else module.top
    return at[0], inner.line, inner.end_line


def check_log(call: Call) -> None:
    """The logarithm of a softmax that is made by hand, and a softmax of a softmax."""
    name, args = call.short, call.args
    if not args or name not in ("log", "log_softmax"):
        return
    known = elements_of(args[0])
    if known is None:
        return
    origin = getattr(args[0].only, "origin", None)
    places = () if origin is None else ((*origin, "the probabilities"),)
    if name == "log" and known.made == "softmax by hand":
        remark(call.engine, "log of softmax", call.span, places=places)
    if name == "log_softmax" and str(known.made).startswith("softmax"):
        about = None if origin is None else _lines_around(call.engine, origin)
        remark(call.engine, DOUBLE_SOFTMAX, call.span, name, places=places, about=about)
