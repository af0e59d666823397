"""Schedules of learning rates that need the value of their step, which JAX traces."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import as_tracer
from gotcha_lint.domain.value import Array, Atom, Library, Object, Tuple, Value, only
from gotcha_lint.facts.optax import TAKE_SCHEDULES
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.events import Remark
from gotcha_lint.interpret.faults.traced import CAST, LARGER, TEST
from gotcha_lint.interpret.heap import contents
from gotcha_lint.program.data_flow import steps_of

SCHEDULE_TEST = "schedule test"
_CALLABLE = frozenset(("function", "instance", "transform"))


def note_joined(call: Call) -> None:
    """`optax.join_schedules([warmup, decay], boundaries)` calls each of them."""
    content = contents(call.engine, call.argument(0, "schedules"))
    if isinstance(content, Tuple):
        call.engine.joined[call.origin] = content.items


def check_schedule(call: Call) -> None:
    """Runs the function that an optimizer is given, as a compiled step does."""
    machine = call.engine
    if call.name not in TAKE_SCHEDULES or machine.trying:
        return
    given = call.get(0, "learning_rate") or call.keyword("step_size_fn")
    step = as_tracer(only(Array("int32", False, (), "device", call.origin)))
    for schedule in _called(call, given) if given is not None else ():
        start = len(machine.events)
        machine.call_traced(only(schedule), (step,), call.span)
        noted = machine.events[start:]
        del machine.events[start:]  # nothing of this happens here
        remarks = (event for event in noted if isinstance(event, Remark))
        fault = next((each for each in remarks if each.kind in (TEST, LARGER, CAST)), None)
        if fault is None:
            continue
        places = ((*call.origin, "given to the optimizer"),)
        maybe = bool(machine.maybe)  # whatever its shape is
        if fault.kind == CAST:
            machine.note(replaced(fault, places=places, maybe=maybe))
            continue
        machine.note(
            replaced(
                fault,
                kind=SCHEDULE_TEST,
                text=(call.name,),
                span=_asked(fault),
                places=places,
                maybe=maybe,
            )
        )


def _asked(test: Remark) -> Span:
    """The expression whose truth is asked for, not the whole head of the statement."""
    steps = steps_of(test.within)
    asked = next((i[2] for i in steps if i[0] == "if" and i[-1] == test.span), None)
    return next((i[-1] for i in steps if i[1] == asked), test.span)


def _called(call: Call, given: Value) -> Iterator[Atom]:
    atom = given.only
    if isinstance(atom, Library) and atom.origin is not None:
        for part in call.engine.joined.get(atom.origin, ()):
            yield from _called(call, part)
    elif isinstance(atom, Object) and atom.site.kind in _CALLABLE:
        yield atom
