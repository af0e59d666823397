"""Seeds, and numbers that are folded into keys, that need more than 32 bits."""

from __future__ import annotations

from gotcha_lint.domain.value import INFINITY, Constant, Number, Symbol, Value
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.numbers import bounds
from gotcha_lint.patterns.long_numbers import is_of_uuid, long_number, lost_part, number
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Register, Span
from gotcha_lint.program.reader import NamedReader

LONG_SEED = "long seed"
# What happens: it raises, bits are lost, or a key is that of another seed.
FOLDED, RAISES, OF_UUID, LOST, OTHER_SEED = "folded", "raises", "of uuid", "lost", "other seed"
_WORD, _SIGNED = 2**32, 2**63


def check_seed(call: Call) -> None:
    """`jax.random.key(seed)`: only the low 32 bits count."""
    found = _written(call, "seed", 0)
    least, most = _bounds(call.argument(0, "seed"), found)
    if least >= _SIGNED or most < -_SIGNED:
        _note(call, RAISES, "", None)
    elif least == most and not -_WORD < least < _WORD:
        _note(call, OTHER_SEED, str(int(least) % _WORD), None)
    elif found is not None:
        reader, register = found
        made = reader.made(register)
        if made is not None and is_of_uuid(reader, made):
            _note(call, OF_UUID, "", made[-1])
        elif (lost := lost_part(reader, register)) is not None:
            _note(call, LOST, "", lost)


def check_folded(call: Call) -> None:
    """`jax.random.fold_in(key, number)`: a number that is not within 32 bits raises."""
    found = _written(call, "data", 1)
    least, most = _bounds(call.argument(1, "data"), found)
    if least >= _WORD or most < 0:
        _note(call, FOLDED, str(int(least)) if least == most else "", None)
    elif found is not None and (source := long_number(*found)) is not None:
        _note(call, FOLDED, "", source)


def _bounds(value: Value, found: tuple[NamedReader, Register] | None) -> tuple[float, float]:
    """The interval that it is in; a power of two that is written out is no interval."""
    written = None if found is None else number(*found)
    if written is not None:
        return written, written
    atom = value.only
    if isinstance(atom, (Constant, Number)) and atom.type == "int":
        return bounds(atom)
    return -INFINITY, INFINITY


def _written(call: Call, name: str, position: int) -> tuple[NamedReader, Register] | None:
    """The argument as the function that runs has it."""
    if isinstance(call.argument(position, name).only, Symbol):
        return None
    function = call.engine.activation.function
    made = next((i for i in steps_of(function) if i[0] == "call" and i[-1] == call.span), None)
    module = call.engine.modules.get(function.path)
    if made is None or module is None or any(star for star, _ in made[3]):
        return None
    given = [register for _, register in made[3][position : position + 1]]
    given += [register for word, register in made[4] if word == name]
    return (NamedReader(module, function), given[0]) if given else None


def _note(call: Call, what: str, which: str, source: Span | None) -> None:
    if not call.engine.trying and not is_test(call.engine.path):
        place = () if source is None else tuple(map(str, source))
        remark(call.engine, LONG_SEED, call.span, what, which, *place)
