"""Arrays that become longer each time, outside of any trace: each length is a new shape.

All operations on such an array compile again. A function that returns its parameter, made longer,
says so to its callers: there the variable grows that the result is bound to.
"""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import NO_MARKS, Marks, Size
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.events import EagerUpdate
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.array_updates import Argument, Growth, growth
from gotcha_lint.program.ir import Function

GROWING = "growing"
_JOINS = frozenset(("concatenate", "concat", "append", "vstack", "hstack"))

_FEW = 3  # iterations: so many programs more are not worth a word
_DIMENSIONS = frozenset(("d", "dim", "dims", "ndim", "ndims", "n_dim", "n_dims", "num_dims"))


def note_growth(call: Call) -> None:
    """`x = jnp.concatenate([x, v])`, in each iteration of a loop, or at each call."""
    machine = call.engine
    if machine.traced or call.short not in _JOINS or not call.name.startswith("jax.numpy."):
        return
    found = _known(machine, call.span, None)
    loops = None if found is None else _loops(machine, found)
    if found is not None and loops is not None:
        machine.note(
            EagerUpdate(
                GROWING,
                machine.path,
                call.span,
                machine.activation.function,
                not found.in_loop,
                loops,
                machine.calls,
                bool(machine.maybe) or not (found.in_loop or found.parameter),
                found.name,
                found.parameter,
            )
        )


def grown_by_callee(machine: Machine, event: EagerUpdate, span: Span) -> EagerUpdate | None:
    """What grows here, where the function that is called at `span` returns its longer parameter."""
    found = _known(machine, span, _argument(event.within, event.parameter))
    loops = None if found is None else _loops(machine, found)
    if found is None or loops is None:
        return None
    return replace(
        event,
        within=machine.activation.function,
        few=not found.in_loop,
        loops=loops,
        maybe=event.maybe or not (found.in_loop or found.parameter),
        name=found.name,
        parameter=found.parameter,
    )


def _known(machine: Machine, span: Span, argument: Argument | None) -> Growth | None:
    key = machine.activation.function, span, argument
    if key not in machine.growths:
        machine.growths[key] = growth(*key)
    return machine.growths[key]


def _loops(machine: Machine, found: Growth) -> Marks | None:
    """The loop in whose iterations it grows; None in the first one, or where there are but few."""
    if not found.in_loop:
        return NO_MARKS
    if not machine.loops:
        return None
    loop, steady = machine.loops[-1]
    turns = machine.activation.loops_met.turns(loop)
    few = turns is not None and turns.high <= _FEW
    return None if few or not steady or _counts_dimensions(turns) else frozenset((loop,))


def _counts_dimensions(turns: Size | None) -> bool:
    """`range(ndim - 1)`, of a parameter: a program has few of them."""
    roots = [mark[1] for mark in turns.marks if mark[0] == "parameter"] if turns is not None else []
    return any(isinstance(root, tuple) and root[-1] in _DIMENSIONS for root in roots)


def _argument(function: Function, parameter: str) -> Argument:
    """Where callers give it: by position, the receiver of a method apart, or by name."""
    names = [p.name for p in function.parameters if p.kind == "pos"]
    is_method = function.parent is not None and function.parent.is_class
    place = names.index(parameter) - is_method if parameter in names else -1
    return place, parameter
