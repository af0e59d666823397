"""Parameters that a function hands to an optimizer's update, by its text (floor `patterns`).

Must, as far as the names go: a method called `apply_gradients`, or `apply_updates` of a library.
It under-approximates: what a helper of the function updates is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register

_STATE, _PARAMETERS, _OPTIMIZER = "apply_gradients", "apply_updates", "update"


@lru_cache(maxsize=512)
def trained_parameters(function: Function) -> frozenset[str]:
    """Weights and the state of their optimizer: the names of the parameters that hold them."""
    made = {i[1]: i for i in steps_of(function)}
    names = {parameter.name for parameter in function.parameters}
    calls = [(i, _word(made, i[2])) for i in steps_of(function) if i[0] == "call"]
    words = {word for _, word in calls}
    found: set[str] = set()
    for call, word in calls:
        if word == _STATE:
            found.update(_head(made, made[call[2]][2]))
        elif word == _PARAMETERS:
            found.update(name for _, given in call[3][:1] for name in _head(made, given))
        elif word == _OPTIMIZER and _PARAMETERS in words:  # `tx.update(grads, state, params)`
            found.update(name for _, given in call[3][1:2] for name in _head(made, given))
    return frozenset(found & names)


def _word(made: dict[Register, Instruction], register: Register) -> str:
    step = made.get(register)
    if step is None or step[0] not in ("attr", "load"):
        return ""
    return str(step[3] if step[0] == "attr" else step[2])


def _head(made: dict[Register, Instruction], register: Register) -> Iterator[str]:
    """`state` of `state.replace(...)`, `state.params`."""
    step = made.get(register)
    while step is not None and step[0] in ("attr", "item", "call"):
        step = made.get(step[2])
    if step is not None and step[0] == "load":
        yield str(step[2])
