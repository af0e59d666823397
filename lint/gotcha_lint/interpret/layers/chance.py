"""Branches that a random number decides: over many iterations, each of them runs."""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Library, Method, Symbol, Value
from gotcha_lint.facts.random import SAMPLERS
from gotcha_lint.interpret.faults.frozen import draws_on_host
from gotcha_lint.interpret.machine import Machine, Registers
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Register

_DRAWS = frozenset(("random", "rand", "uniform"))  # of a generator that a caller gives
_DEPTH = 4  # `float(jax.random.uniform(key)) < epsilon`


def is_drawn(machine: Machine, test: Register, registers: Registers) -> bool:
    """Is the test a comparison with a number that is drawn there? Must; an expression alone."""
    makers = {i[1]: i for i in steps_of(machine.activation.function)}
    made = makers.get(test)
    if made is None or made[0] != "compare":
        return False
    sides = [made[3], made[4]]
    for _ in range(_DEPTH):
        calls = [i for side in sides if (i := makers.get(side)) is not None and i[0] == "call"]
        if any(_draws(registers.get(i[2], UNKNOWN)) for i in calls):
            return True
        sides = [register for i in calls for _, register in i[3]]
    return False


def _draws(callee: Value) -> bool:
    atom = callee.only
    if isinstance(atom, Library):
        return atom.name in SAMPLERS or draws_on_host(atom.name)
    if isinstance(atom, Method):
        return atom.name in _DRAWS
    return isinstance(atom, Symbol) and atom.path[-1:] in {(f".{name}",) for name in _DRAWS}
