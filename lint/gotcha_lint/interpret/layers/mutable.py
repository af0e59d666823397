"""`apply(..., mutable=[...])` of linen: the output and the new state, whatever model it is of.

The state is a dict of its own, so the pair is known again after calls and returns.
"""

from __future__ import annotations

from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import UNKNOWN, Mapping, Object, Tuple, Value, only
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.functions import Arguments
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import argument_of_call, words_of

NOT_UNPACKED = "not unpacked"
_UPDATED, _GIVEN_AT = "updated", "given at"
_METHODS = frozenset(("apply", "apply_fn"))
_PAIR = 2
_OF_TUPLES = frozenset(("Add", "Mult", "Mod"))  # operators that they have, or that formats have
_OF_ARRAYS = frozenset(
    ("shape", "ndim", "dtype", "mean", "sum", "reshape", "astype", "at", "max", "min", "argmax",
     "squeeze", "T")
)  # fmt: skip
_FUNCTIONS = ("jax.numpy.", "jax.nn.", "optax.")


def as_pair(machine: Machine, keywords: Arguments, out: Value, span: Span) -> Value:
    """The result of a call: of `apply` with collections that may change, output and state."""
    state, mutable = _state_of(out), keywords.get("mutable")
    if state is not None:
        state.info[_GIVEN_AT] = machine.path, span, _name(machine, span)
    elif (
        mutable is not None
        and _names_collections(machine, mutable)
        and _name(machine, span).rpartition(".")[2] in _METHODS
    ):
        return _updated(machine, out, span)
    return out


def _updated(machine: Machine, out: Value, span: Span) -> Value:
    known = out.only
    first = Value((), True, out.marks)
    if isinstance(known, Tuple) and len(known.items) == _PAIR:
        first = known.items[0]
    state = machine.allocate("dict", span, _UPDATED)
    state.info.update({_UPDATED: True, _GIVEN_AT: (machine.path, span, "")})
    machine.write((state, "{}"), only(Mapping((), (), UNKNOWN)))
    origin = machine.origin(span)
    return only(Tuple((first, only(Object(state, origin))), origin), out.marks)


def _name(machine: Machine, span: Span) -> str:
    function = machine.activation.function
    found = argument_of_call(function, span, 0, "variables")
    callee = found[1] if found is not None else None
    return words_of(function, callee[1]) if callee is not None else ""


def _names_collections(machine: Machine, mutable: Value) -> bool:
    if isinstance(mutable.constant, str):
        return True
    content = contents(machine, mutable)
    parts = content.items if isinstance(content, Tuple) else ()
    return isinstance(content, Tuple) and all(isinstance(x.constant, str) for x in parts)


def _state_of(value: Value) -> Site | None:
    """The state of a pair."""
    atom = value.only
    if not isinstance(atom, Tuple) or len(atom.items) != _PAIR:
        return None
    state = atom.items[1].only
    return state.site if isinstance(state, Object) and state.site.info.get(_UPDATED) else None


def check_attribute(machine: Machine, value: Value, name: str, span: Span) -> None:
    if name in _OF_ARRAYS:
        _check(machine, value, span)


def check_operand(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> None:
    if operator not in _OF_TUPLES:
        _check(machine, x, span)
        _check(machine, y, span)


def check_argument(call: Call) -> None:
    if call.args and call.name.startswith(_FUNCTIONS):
        _check(call.engine, call.args[0], call.span)


def _check(machine: Machine, value: Value, span: Span) -> None:
    """Notes a pair that is used as an array."""
    state = _state_of(value)
    if state is not None and not machine.trying:
        path, at, name = state.info[_GIVEN_AT]
        use = machine.path, span, "used as an array here"
        remark(machine, NOT_UNPACKED, span, name, places=(use,), at=(path, at))
