"""Updated batch statistics that nothing reads (floor `patterns`): in the function, or in the one
around it, which gets them as the auxiliary output of a gradient (may).

A call that evaluates, one of another method, and one with the variables of a copy (a teacher, a
moving average) have no statistics to keep; nor has a model of the program without batch norms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import reads_name, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links

_APPLY = frozenset(("apply", "apply_fn"))
_STATS, _NORM = "batch_stats", "batchnorm"
_EVALUATION = {"train": False, "training": False, "is_training": False, "use_running_average": True}
_COPIES = ("target", "ema", "teacher")
_STATE = "TrainState"
_PAIR = 2


@dataclass(frozen=True)
class Dropped:
    """A call, and where its statistics are lost."""

    span: Span
    at: Span


def dropped_statistics(links: Links, function: Function) -> Iterator[Dropped]:
    for call in steps_of(function):
        if call[0] != "call" or links.word(function, call[2]) not in _APPLY:
            continue
        if not _has_statistics(links, function, call) or _is_of_a_copy(links, function, call):
            continue
        at = _dropped(links, function, call)
        if at is not None and not _lacks_norms(links, function, call):
            yield Dropped(call[-1], at)


def _has_statistics(links: Links, function: Function, call: Instruction) -> bool:
    """`mutable=["batch_stats"]`, in a call that trains."""
    given = {name: _constant(links, function, register) for name, register in call[4]}
    register = dict(call[4]).get("mutable")
    if register is None or "method" in given:
        return False
    if any(given.get(name) is value for name, value in _EVALUATION.items()):
        return False
    made = links.makers(function).get(register)
    if made is not None and made[0] == "build":
        return any(_constant(links, function, part) == _STATS for _, part in made[3])
    return given["mutable"] == _STATS


def _constant(links: Links, function: Function, register: Register) -> object:
    made = links.makers(function).get(register)
    return made[2] if made is not None and made[0] == "const" else None


def _is_of_a_copy(links: Links, function: Function, call: Instruction) -> bool:
    """A target network, say, which is given its statistics together with its parameters."""
    todo = [register for _, register in call[3][:1]]
    words: list[str] = []
    while todo:
        made = links.makers(function).get(todo.pop())
        if made is None:
            continue
        words += [made[3]] if made[0] == "attr" else [made[2]] if made[0] == "load" else []
        todo += [made[2]] if made[0] in ("attr", "item") else []
        todo += [value for _, value in made[2]] if made[0] == "dict" else []
    return any(part.startswith(_COPIES) for word in words for part in word.lower().split("_"))


def _lacks_norms(links: Links, function: Function, call: Instruction) -> bool:
    """The model that is applied is a class of this file that names no batch norm."""
    method = links.makers(function).get(call[2])
    link = links.of_register(function, method[2]) if method and method[0] == "attr" else None
    if (
        link is None
        or link.kind not in ("class", "instance")
        or link.function.path != function.path
    ):
        return False
    parts = links.class_parts(link.function)
    if parts is None or any(name.endswith(_STATE) for name in parts.library):
        return False  # `state.apply_fn` is a method of another class
    return not any(_NORM in word.lower() for word in _names(link.function, links))


def _names(body: Function, links: Links) -> Iterator[str]:
    for function in (body, *links.finder.modules[body.path].functions):
        if function is body or function.parent is body:
            yield from (i[3] if i[0] == "attr" else i[2] for i in steps_of(function)
                        if i[0] in ("attr", "load"))  # fmt: skip


def _dropped(links: Links, function: Function, call: Instruction) -> Span | None:
    """Where the new statistics are lost."""
    for i in steps_of(function):
        if i[0] == "item" and i[2] == call[1] and _constant(links, function, i[3]) == 0:
            return i[-1]  # `model.apply(...)[0]`
        if i[0] == "unpack" and i[2] == call[1] and len(i[3]) == _PAIR and i[4] is None:
            store = _stored(function, i[3][1])
            if store is None:
                return None
            if store[2] == "_" or not reads_name(function.body, store[2]):
                return store[-1]
            return _dropped_outside(links, function, store)
    return None


def _stored(function: Function, register: Register) -> Instruction | None:
    """The name that a value is bound to, if it is one."""
    return next((i for i in steps_of(function) if i[0] == "store" and i[4] == register), None)


def _dropped_outside(links: Links, function: Function, store: Instruction) -> Span | None:
    """`return loss, (y, updates)` here, `(loss, (y, _)), grads = grad_fn(params)` there."""
    outer, place = function.parent, _returned_at(links, function, store[2])
    if outer is None or outer.is_module or outer.is_class or place is None:
        return None
    found = [_at(outer, aux, place) for aux in _auxiliary(links, outer, function.name)]
    got = found[0] if len(found) == 1 else None
    if got is None or (got[2] != "_" and _reads(outer, function, got[2])):
        return None
    return got[-1]


def _reads(outer: Function, inner: Function, name: str) -> bool:
    """The inner function may have a name like it of its own."""
    others = [i[2] for i in steps_of(outer) if i[0] == "closure" and i[2] is not inner]
    loads = {i[2] for i in steps_of(outer) if i[0] == "load"}
    return name in loads or any(reads_name(other.body, name) for other in others)


def _returned_at(links: Links, function: Function, name: str) -> tuple[int, ...] | None:
    """Where in the auxiliary output the name stands: () for all of it, (1,) for its second."""
    makers = links.makers(function)
    returns = [i for i in steps_of(function) if i[0] == "return"]
    loads = [i[1] for i in steps_of(function) if i[0] == "load" and i[2] == name]
    whole = makers.get(returns[0][2]) if len(returns) == 1 else None
    if whole is None or whole[0] != "build" or len(whole[3]) != _PAIR or len(loads) != 1:
        return None
    aux = whole[3][1][1]
    parts = makers.get(aux)
    if aux == loads[0]:
        return ()
    if parts is None or parts[0] != "build":
        return None
    return next(((n,) for n, (_, part) in enumerate(parts[3]) if part == loads[0]), None)


def _auxiliary(links: Links, outer: Function, name: str) -> Iterator[Register]:
    """`aux` of `(loss, aux), grads = value_and_grad(f, has_aux=True)(params)`."""
    makers = links.makers(outer)
    unpacked = {i[2]: i[3] for i in steps_of(outer) if i[0] == "unpack" and len(i[3]) == _PAIR}
    for source, (value, _) in unpacked.items():
        call = makers.get(source)
        if call is not None and call[0] == "call" and value in unpacked:
            callee = makers.get(call[2])
            if callee is not None and callee[0] == "load":
                stored = links.stores(outer).get(callee[2], [])
                callee = makers.get(stored[0]) if len(stored) == 1 else None
            if callee is not None and _differentiates(links, outer, callee, name):
                yield unpacked[value][1]


def _differentiates(links: Links, outer: Function, call: Instruction, name: str) -> bool:
    if call[0] != "call" or not call[3] or links.word(outer, call[2]) != "value_and_grad":
        return False
    given = links.makers(outer).get(call[3][0][1])
    return given is not None and given[:3:2] == ("load", name)


def _at(outer: Function, register: Register, place: tuple[int, ...]) -> Instruction | None:
    """The name that a part of the auxiliary output is bound to."""
    for position in place:
        parts = next((i[3] for i in steps_of(outer) if i[0] == "unpack" and i[2] == register), ())
        if position >= len(parts):
            return None
        register = parts[position]
    return _stored(outer, register)
