"""Clocks and random numbers of the host that a trace reads: the answer becomes a constant."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Span
from gotcha_lint.facts.draws import GENERATOR
from gotcha_lint.facts.host import ROWS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.events import Remark
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.faults.traced import callee_at
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.training.dropout_keys import is_only_for_dropout
from gotcha_lint.program.data_flow import instructions, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction

FROZEN = "frozen"
_KINDS = ("random", "time")


def check_frozen(machine: Machine, name: str, span: Span) -> None:
    """`np.random.normal()`, `time.time()`"""
    kind = "random" if draws_on_host(name) else _effect(name)
    if kind not in _KINDS or not machine.traced or machine.lenient or is_test(machine.path):
        return
    function = machine.activation.function
    call = next((i for i in steps_of(function) if i[0] == "call" and i[-1] == span), None)
    if call is None or _is_text(function, call) or _has_seed(function, call):
        return
    top = machine.modules[machine.path].top
    if not machine.differentiated and is_only_for_dropout(top, function, call[1]):
        return
    if not (_waits_for_none(function, span) or _is_kept_by_callbacks(function, call)):
        remark(machine, FROZEN, span, kind, *map(str, callee_at(machine, span)))


def forget_frozen(machine: Machine, start: int) -> None:
    """`eval_shape` keeps no program, and so no constant: what was said since then is taken back."""
    kept = [e for e in machine.events[start:] if not (isinstance(e, Remark) and e.kind == FROZEN)]
    machine.events[start:] = kept


def draws_on_host(name: str) -> bool:
    """Does this function draw from Python's or numpy's random numbers?"""
    return name.startswith(f"{GENERATOR}.") or _effect(name) == "random"


def _effect(name: str) -> str:
    row = ROWS.get(name)
    if row is not None:
        return row.effect
    makes = name.rpartition(".")[2][:1].isupper()
    return "random" if name.startswith(("numpy.random.", "random.")) and not makes else ""


def _is_text(function: Function, call: Instruction) -> bool:
    """`f"run{time.time()}"`: a name for something, made while tracing."""
    loads = {i[1]: i[2] for i in steps_of(function) if i[0] == "load"}
    return any(
        i[0] == "fstr" or (i[0] == "call" and loads.get(i[2]) == "str")
        for i in steps_of(function)
        if call[1] in used_registers(i)
    )


def _has_seed(function: Function, call: Instruction) -> bool:
    """`np.random.RandomState(1729).uniform`: the same numbers, whenever they are drawn."""
    made = {i[1]: i for i in steps_of(function)}
    method = made.get(call[2])
    base = made.get(method[2]) if method is not None and method[0] == "attr" else None
    if base is None or base[0] != "call" or not base[3]:
        return False
    seed = made.get(base[3][0][1])
    return seed is not None and seed[0] == "const" and type(seed[2]) is int


def _waits_for_none(function: Function, span: Span) -> bool:
    """Under `if key is None`, as a key is for callers that are not traced."""
    optional = {p.name for p in function.parameters if p.has_default}
    made = {i[1]: i for i in steps_of(function)}
    for i in steps_of(function):
        test = made.get(i[2]) if i[0] == "if" else None
        if test is None or test[0] != "compare" or test[2] != "Is":
            continue
        asked, other = made.get(test[3]), made.get(test[4])
        none = other is not None and other[0] == "const" and other[2] is None
        named = asked is not None and asked[0] == "load" and asked[2] in optional
        if none and named and any(each[-1] == span for each in instructions(i[3])):
            return True
    return False


def _is_kept_by_callbacks(function: Function, call: Instruction) -> bool:
    """`last = time()`, which only functions read that set it again: they run on the host."""
    steps = steps_of(function)
    names = {i[2] for i in steps if i[0] == "store" and i[4] == call[1]} & function.captured
    if not names or any(i[0] == "load" and i[2] in names for i in steps):
        return False
    inner = list(_within(function))
    readers = [f for f in inner if any(i[0] == "load" and i[2] in names for i in steps_of(f))]
    return bool(readers) and all(names <= f.nonlocals for f in readers)


def _within(function: Function) -> Iterator[Function]:
    for i in steps_of(function):
        if i[0] == "closure":
            yield i[2]
            yield from _within(i[2])
