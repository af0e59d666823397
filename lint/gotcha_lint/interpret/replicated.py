"""Gradients of replicated parameters inside of `shard_map`, which are summed over devices already.

Differentiation inverts the replication, where `shard_map` follows it (`check_vma`). Marks say what
a value is: a gradient that was summed, or something that differs from device to device. What is
computed of a gradient is none any more, so only values of unknown contents count (must).
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import Array, Marks, Object, Symbol, Tuple, Value
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function

AVERAGED = "averaged over devices"
_SUMMED, _VARYING = "summed over devices", "varying over devices"
_CHECKS = ("check_vma", "check_rep")
_CASTS = ("jax.lax.pcast", "jax.lax.pvary")
_SUMS = ("jax.lax.pmean", "jax.lax.psum")


def is_checked(site: Site) -> bool:
    """Does the `shard_map` follow which values are replicated?"""
    given = site.info["keywords"]
    return (
        "*" not in given
        and "**" not in given
        and all(given[name].constant is True for name in _CHECKS if name in given)
    )


def after_collective(call: Call, out: Value) -> Value:
    """Notes what is averaged or summed, and marks what is made to vary."""
    machine = call.engine
    if call.name in _CASTS:
        return out.marked(frozenset(((_VARYING,),)))
    if call.name not in _SUMS or not machine.replicating or not call.args:
        return out
    values = tuple(_parts(call.args[0]))
    if values:
        word = call.short
        if word == "psum" and _is_divided(machine.activation.function, call.span):
            word = "pmean"
        note(machine, AVERAGED, word, call.span, values)
    return Value(out.atoms, out.unknown, without_sums(out.marks), out.choice)


def as_gradient(call: Call, given: Value, gradient: Value) -> Value:
    """The gradient by an argument: summed, if that is the same on each device."""
    machine = call.engine
    if not machine.replicating or _is_made_here(machine, given):
        return gradient
    return gradient.marked(frozenset(((_SUMMED, machine.path, call.span),)))


def sums_in(marks: Marks) -> Marks:
    return frozenset(mark for mark in marks if mark[0] == _SUMMED) if marks else marks


def without_sums(marks: Marks) -> Marks:
    return marks - sums_in(marks)


def is_summed(value: Value) -> bool:
    """Is it a gradient that devices have summed up, whatever it is given to?"""
    return bool(sums_in(value.marks)) and (_VARYING,) not in value.marks


def gradient_places(value: Value) -> list[tuple[str, Span, str]]:
    return [(mark[1], mark[2], "the gradients") for mark in sorted(sums_in(value.marks), key=repr)]


def _parts(value: Value) -> Iterator[Value]:
    """Gradients, alone or beside the loss: arrays of which something is known are computed."""
    atom = value.only
    if isinstance(atom, Tuple):
        for item in atom.items:
            yield from _parts(item)
    elif (
        value.unknown
        or isinstance(atom, (Symbol, Object))
        or (isinstance(atom, Array) and sums_in(value.marks) and atom.elements is None)
    ):
        yield value


def _is_made_here(machine: Machine, value: Value) -> bool:
    """The function has made it, and was not given it."""
    function = machine.activation.function
    origins = [getattr(atom, "origin", None) for atom in value.atoms]
    return value.unknown or any(
        at is not None and at[0] == function.path and function.line < at[1][0] <= function.end_line
        for at in origins
    )


def _is_divided(function: Function, call: Span) -> bool:
    """`psum(g) / n` is a mean."""
    made = next((i[1] for i in steps_of(function) if i[0] == "call" and i[-1] == call), None)
    return any(i[0] == "binop" and i[2] == "Div" and i[3] == made for i in steps_of(function))
