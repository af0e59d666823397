"""What becomes of an executable in the function that compiles it (floor `program`).

By definitions and uses of one name. It over-approximates what may run it: whatever is neither
dropped nor only asked about itself counts as called.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span

_ON_THE_SECOND = frozenset(("return", "yield", "setattr", "setitem", "if", "discard"))

LEFT, LOOKED_AT, RUN = "left", "looked at", "run"


def fate(module: Module, function: Function, span: Span, looks: Collection[str]) -> str:
    """Of what the call at `span` gives; `looks`: attributes that do not run it."""
    made = next((i[1] for i in steps_of(function) if i[0] == "call" and i[-1] == span), None)
    uses = [] if made is None else list(_uses(module, function, made))
    if all(i[0] == "discard" for i in uses):
        return LEFT if made is not None else RUN
    looked = all(i[0] == "discard" or (i[0] == "attr" and i[3] in looks) for i in uses)
    return LOOKED_AT if looked else RUN


def _uses(module: Module, function: Function, register: Register) -> Iterator[Instruction]:
    """The instructions that read it, by whatever name of the function."""
    own = -1 if function.is_module else 0
    for i in steps_of(function):
        if i[0] == "discard" and i[2] == register:
            yield i
        elif i[0] == "store" and i[4] == register and i[3] == own:
            yield from _reads(module, function, i[2])
        elif i[0] not in ("discard", "store") and register in _operands(i):
            yield i


def _reads(module: Module, function: Function, name: str) -> Iterator[Instruction]:
    """What reads the name, in functions within, too."""
    inner = [function] if not function.is_module else [module.top]
    others = [f for f in module.functions if f is not function and _sees(f, function)]
    for each in (*inner, *others):
        loads = {i[1] for i in steps_of(each) if i[0] == "load" and i[2] == name}
        for i in steps_of(each):
            if not loads.isdisjoint(_operands(i)):
                yield i


def _operands(i: Instruction) -> set[Hashable]:
    """... those that are handed back, or changed, too."""
    other = {i[2]} if i[0] in _ON_THE_SECOND else set[Hashable]()
    return used_registers(i) | other


def _sees(inner: Function, outer: Function) -> bool:
    around: Function | None = inner.parent
    while around is not None and around is not outer:
        around = around.parent
    return around is outer or (outer.is_module and around is None)
