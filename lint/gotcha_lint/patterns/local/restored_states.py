"""What was restored without a target, used as the state it was (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.optax import RESTORES, STATELESS
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.reader import SureReader

# What a training state has and a dict has not.
_FIELDS = frozenset(
    ("params", "opt_state", "step", "tx", "apply_fn", "apply_gradients", "batch_stats", "replace")
)
_MAKERS = frozenset(("replace", "_replace", "create"))
_PLACES = frozenset(("directory", "step"))  # what says where, not what
_STEPS = 6
# Of Flax: the position and the name of the target; it gives plain dicts where that is `None`.
_OF_FLAX = {
    "flax.serialization.msgpack_restore": None,
    "flax.serialization.from_bytes": (0, "target"),
    "flax.training.checkpoints.restore_checkpoint": (1, "target"),
}
_WORDS = frozenset(("restore", *(name.rpartition(".")[2] for name in _OF_FLAX)))


@dataclass(frozen=True)
class Restored:
    """`restored`: where that was."""

    span: Span
    restored: Span


def restored_states(origins: Origins, function: Function) -> Iterator[Restored]:
    """The uses in one function."""
    if _WORDS.isdisjoint(names_used(function)):
        return
    reader = origins.reader(function)
    for use, register, is_attribute in _uses(origins, reader):
        restored = _restored(origins, reader, register)
        if restored is None or origins.is_attempted(function, use):
            continue
        of_manager = origins.called(function, restored).endswith("Manager.restore")
        if not (is_attribute and of_manager):  # of several items, a manager gives an object
            yield Restored(reader.makers[register][-1], restored[-1])


def _uses(origins: Origins, reader: SureReader) -> Iterator[tuple[Instruction, Register, bool]]:
    """Values that have to be typed states, and whether an attribute is what asks for it."""
    for i in steps_of(reader.function):
        if i[0] == "attr" and i[3] in _FIELDS:
            yield i, i[2], True
        if i[0] != "call":
            continue
        word, state = reader.function_of(i), dict(i[4]).get("opt_state")
        callee = reader.makers.get(i[2])
        if word == "update" and callee is not None and callee[0] == "attr":
            maker = origins.library(reader.function, reader.makers[i[2]][2])
            if maker.startswith("optax.") and not _is_stateless(origins, reader, i, maker):
                state = dict(i[4]).get("state", i[3][1][1] if len(i[3]) > 1 else None)
                if state is not None:
                    yield i, state, False
        elif state is not None and (word in _MAKERS or word[:1].isupper()):
            yield i, state, False


def _is_stateless(origins: Origins, reader: SureReader, update: Instruction, maker: str) -> bool:
    """Plain gradient descent has nothing to lose, unless it is given momentum or a schedule."""
    found = origins.of(reader.function, reader.makers[update[2]][2])
    made = found[1] if found is not None else ""
    if isinstance(made, str):
        return True
    if maker == "optax.sgd":
        return len(made[3]) < 2 and "momentum" not in dict(made[4])
    return maker in STATELESS or maker == "optax.chain"


def _restored(origins: Origins, reader: SureReader, register: Register) -> Instruction | None:
    """The call that restored what this is, or is a part of."""
    for _ in range(_STEPS):
        made = reader.made(register)
        if made is None:
            return None
        if made[0] == "item":
            register = made[2]
        elif made[0] == "call":
            if reader.function_of(made) == "restore":
                return made if _is_bare(origins, reader, made) else None
            return made if _is_bare_of_flax(origins, reader, made) else None
        else:
            return None
    return None


def _is_bare(origins: Origins, reader: SureReader, call: Instruction) -> bool:
    """`restore(path)`, `restore(step, args=StandardRestore())`: nothing tells the types."""
    if any(star for star, _ in call[3]) or len(call[3]) > 1:
        return False
    named = dict(call[4])
    kind = reader.makers.get(named.pop("args", -1))
    if "args" in dict(call[4]) and (kind is None or kind[0] != "call" or kind[3] or kind[4]):
        return False
    return named.keys() <= _PLACES and origins.called(reader.function, call) in RESTORES


def _is_bare_of_flax(origins: Origins, reader: SureReader, call: Instruction) -> bool:
    """`msgpack_restore(data)`, `from_bytes(None, data)`."""
    name = origins.called(reader.function, call)
    if name not in _OF_FLAX or any(star for star, _ in call[3]):
        return False
    wanted = _OF_FLAX[name]
    if wanted is None:
        return True
    position, word = wanted
    named = dict(call[4])
    at = call[3][position][1] if position < len(call[3]) else named.get(word, -1)
    target = reader.made(at)
    return target is not None and target[0] == "const" and target[2] is None
