"""Probabilities: where logits are expected, and under a logarithm.

A function of the program may do it for its caller: what a parameter holds is the caller's doing, so
the fault moves there (see `at_caller`). Must: probabilities that are changed by anything but a
choice of elements are probabilities no more.
"""

from __future__ import annotations

from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import Value
from gotcha_lint.facts.jax import DRAWS_LOGITS, GUARDS, LARGEST
from gotcha_lint.facts.optax import LOGIT_LOSSES
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.elements import elements_of
from gotcha_lint.interpret.events import Remark
from gotcha_lint.interpret.faults.remarks import DOUBLE_SOFTMAX, LOG_OF_SOFTMAX, remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.results_read import only_reaches, reaches

_SOFTMAXES = ("softmax", "softmax by hand")
_LIMITS = frozenset(name.rpartition(".")[2] for name in GUARDS | DRAWS_LOGITS)
_LARGEST = frozenset(name.rpartition(".")[2] for name in LARGEST)
_WORDS = {
    DOUBLE_SOFTMAX: ("turned into probabilities here", "taken as logits here"),
    LOG_OF_SOFTMAX: ("the probabilities", "the logarithm is taken here"),
}


def check_logits(call: Call) -> None:
    """Probabilities, where a loss or a draw takes logits."""
    draws = call.name in DRAWS_LOGITS
    if not draws and call.name not in LOGIT_LOSSES and call.name != "jax.nn.log_softmax":
        return
    given = call.get(1 if draws else 0, "logits")
    wrong = (*_SOFTMAXES, "sigmoid") if call.name in LOGIT_LOSSES else _SOFTMAXES
    if given is not None and _made(given) in wrong:
        _remark(call, DOUBLE_SOFTMAX, given)


def check_log(call: Call) -> None:
    """The logarithm of a softmax, but where what it makes of a 0 is replaced or never chosen."""
    if call.short != "log" or not call.args or _made(call.args[0]) not in _SOFTMAXES:
        return
    function = call.engine.activation.function
    if not reaches(function, call.span, _LIMITS) and not only_reaches(
        function, call.span, _LARGEST
    ):
        _remark(call, LOG_OF_SOFTMAX, call.args[0])


def _made(value: Value) -> object:
    known = elements_of(value)
    return known.made if known is not None else ""


def _remark(call: Call, kind: str, given: Value) -> None:
    own = is_parameter(call.engine, given)
    source = _source(given)
    places = () if source is None else ((*source, _WORDS[kind][0]),)
    chosen = own and bool(call.engine.guards)  # a flag may say what is given
    made = str(_made(given))
    remark(
        call.engine, kind, call.span, call.short, made, places=places, maybe=chosen,
        given=given if own else None,
    )  # fmt: skip


def _source(value: Value) -> Origin | None:
    known = elements_of(value)
    return known.source if known is not None else None


def is_parameter(machine: Machine, value: Value) -> bool:
    """Are these the probabilities, or some of them, that the function was given?"""
    source = _source(value)
    given = machine.activation.given.values()
    return source is not None and any(_source(each) == source for each in given)


def at_caller(machine: Machine, event: Remark, given: Value, call: Origin) -> Remark:
    """The fault as a caller sees it that gave the probabilities."""
    there = (event.path, event.span, _WORDS[event.kind][1])
    own = is_parameter(machine, given)
    return replaced(
        event,
        path=call[0],
        span=call[1],
        text=(*event.text[:2], "given"),
        places=(*event.places, there),
        maybe=event.maybe or (own and bool(machine.guards)),
        given=given if own else None,
    )
