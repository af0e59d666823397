"""How many values a call of a library returns, as the text of the call says (floor `interpret`).

None where it is not written out: a number in a variable, star arguments, unknown functions. Must.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gotcha_lint.facts.result_counts import EACH, FIXED, KEYS, OF_RESULT, PARTS
from gotcha_lint.program.ir import Instruction, Register

Makers = Mapping[Register, Instruction]


def result_count(
    call: Instruction, makers: Makers, dotted: Callable[[Register], str]
) -> int | None:
    """`dotted`: the full name of the function of a library that a register holds, else ""."""
    _, _, callee, args, keywords, _ = call
    if any(star for star, _ in args) or any(name is None for name, _ in keywords):
        return None
    named = dict(keywords)
    made = makers.get(callee)
    if made is not None and made[0] == "call":
        return 2 if dotted(made[2]) in OF_RESULT else None
    name = dotted(callee)
    if name in FIXED:
        count, option = FIXED[name]
        most = {"jax.numpy.linalg.qr": 1, "jax.numpy.linalg.svd": 2}.get(name, len(args))
        return count if option not in named and len(args) <= most else None
    if name in EACH:
        return len(args)
    if name in PARTS:
        register = args[1][1] if len(args) > 1 else named.get(PARTS[name])
        return _parts(makers.get(register)) if register is not None else None
    if name in KEYS:
        option, count = KEYS[name]
        register = args[1][1] if len(args) > 1 else named.get(option)
        return count if register is None else _number(makers.get(register))
    return None


def _number(made: Instruction | None) -> int | None:
    value = made[2] if made is not None and made[0] == "const" else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _parts(made: Instruction | None) -> int | None:
    if made is not None and made[0] == "build" and made[2] in ("list", "tuple"):
        return None if any(star for star, _ in made[3]) else len(made[3]) + 1
    return _number(made)
