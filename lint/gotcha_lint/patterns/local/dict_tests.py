"""Functions that walk over a tree, and take no mapping but `dict` for one (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers, dotted

_CONVERTS = frozenset(
    f"{module}.{name}" for module in ("numpy", "jax.numpy") for name in ("asarray", "array")
) | {"jax.device_get"}
_HANDLED = frozenset(("FrozenDict", "Mapping", "MutableMapping", "unfreeze", "State"))
_MAKES = frozenset(("FrozenDict", "freeze", "nnx"))
_COMPARES = frozenset(("Is", "IsNot", "Eq", "NotEq"))
_PLAIN = frozenset(("to_pure_dict", "to_state_dict", "unfreeze", "msgpack_restore"))
_SAME_SHAPE = frozenset(("map", "tree_map"))  # of their second argument


@dataclass(frozen=True)
class DictTest:
    """`converts`: what makes an array of the leaves, as it is written."""

    span: Span
    converts: str


def dict_tests(origins: Origins, function: Function) -> Iterator[DictTest]:
    """The first test of a function that calls itself."""
    names = names_used(function)
    given = {parameter.name: parameter.name for parameter in function.parameters}
    if "dict" not in names or not given or not _HANDLED.isdisjoint(names):
        return
    makers = origins.links.makers(function)
    if _has_other_mappings(origins, function):
        given |= dict(_parts(makers, function, given))
    calls = [i for i in steps_of(function) if i[0] == "call"]
    again = (function.name, f"self.{function.name}")
    tests = [(i, tree) for i in steps_of(function) if (tree := _tested(makers, i)) in given]
    if not tests or not any(dotted(makers, i[2]) in again for i in calls):
        return
    test, tree = tests[0]
    leaf = [
        dotted(makers, i[2])
        for i in calls
        if i[3] and dotted(makers, i[3][0][1]) == tree
        and origins.names.of_call(function, i) in _CONVERTS
    ]  # fmt: skip
    if leaf and not _gets_plain_dicts(origins, function, given[tree]):
        yield DictTest(test[-1], leaf[0])


def _has_other_mappings(origins: Origins, function: Function) -> bool:
    """Does the file make mappings that are no dicts? What is walked may be metrics alone."""
    module = origins.links.finder.modules[function.path]
    return any(not _MAKES.isdisjoint(names_used(each)) for each in (module.top, *module.functions))


def _parts(makers: Makers, function: Function, given: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names of what a loop takes out of a parameter, and that parameter.

    As `value` in `for key, value in tree.items()`.
    """
    for loop in steps_of(function):
        call = makers.get(loop[2]) if loop[0] == "for" else None
        callee = makers.get(call[2]) if call is not None and call[0] == "call" else None
        if callee is None or callee[0] != "attr" or callee[3] not in ("items", "values"):
            continue
        whole = dotted(makers, callee[2])
        if whole in given:
            unpacked = {r for i in loop[4] if i[0] == "unpack" for r in i[3]} | {loop[3]}
            bound = (i for i in loop[4] if i[0] == "store" and i[4] in unpacked)
            yield from ((store[2], whole) for store in bound)


def _tested(makers: Makers, i: Instruction) -> str:
    """x, in `isinstance(x, dict)` and `type(x) is dict`."""
    if i[0] == "call" and dotted(makers, i[2]) == "isinstance" and len(i[3]) == 2:
        return dotted(makers, i[3][0][1]) if "dict" in _types(makers, i[3][1][1]) else ""
    if i[0] != "compare" or i[2] not in _COMPARES or set(_types(makers, i[4])) != {"dict"}:
        return ""
    made = makers.get(i[3])
    is_type = made is not None and made[0] == "call" and dotted(makers, made[2]) == "type"
    return dotted(makers, made[3][0][1]) if is_type and made is not None and made[3] else ""


def _types(makers: Makers, register: Register) -> Iterator[str]:
    made = makers.get(register)
    if made is not None and made[0] == "build":
        for _, one in made[3]:
            yield from _types(makers, one)
    elif made is not None and made[0] == "binop" and made[2] == "BitOr":
        for one in made[3:5]:
            yield from _types(makers, one)
    else:
        yield dotted(makers, register)


# Nested functions that are given nothing else


def _gets_plain_dicts(origins: Origins, function: Function, parameter: str) -> bool:
    """Every call of a nested function, which has no other callers, fills the parameter with one."""
    owner = function.parent
    place = [p.name for p in function.parameters].index(parameter)
    if owner is None or owner.is_module or owner.is_class:
        return False
    found: list[tuple[Function, Instruction]] = []
    for around in _functions(owner):
        code = [i for i in steps_of(around) if i[0] == "load" and i[2] == function.name]
        called = {i[2]: i for i in steps_of(around) if i[0] == "call"}
        if any(i[1] not in called for i in code):
            return False  # it is returned, or given to something
        if around is not function:
            found += [(around, called[i[1]]) for i in code]
    return bool(found) and all(
        len(call[3]) > place
        and not any(star for star, _ in call[3][: place + 1])
        and _is_plain(origins, around, call[3][place][1], frozenset())
        for around, call in found
    )


def _functions(owner: Function) -> Iterator[Function]:
    """It, and those that are defined in it."""
    yield owner
    for i in steps_of(owner):
        if i[0] == "closure":
            yield from _functions(i[2])


def _is_plain(
    origins: Origins, function: Function, register: Register, seen: frozenset[str]
) -> bool:
    makers = origins.links.makers(function)
    made = makers.get(register)
    if made is None:
        return False
    if made[0] == "load":
        stored = origins.links.stores(function).get(made[2], [])
        if made[2] in seen:
            return True
        return bool(stored) and all(
            _is_plain(origins, function, one, seen | {made[2]}) for one in stored
        )
    if made[0] == "item":
        return _is_plain(origins, function, made[2], seen)
    if made[0] != "call":
        return False
    word = dotted(makers, made[2]).rpartition(".")[2]
    if word in _SAME_SHAPE and len(made[3]) > 1:
        return _is_plain(origins, function, made[3][1][1], seen)
    if word == "restore":  # built like the template
        return any(_is_plain(origins, function, one, seen) for one in _templates(makers, made))
    return word in _PLAIN


def _templates(makers: Makers, call: Instruction) -> Iterator[Register]:
    """What `item=` is given in a call, or in those within."""
    for name, register in (*((None, one) for _, one in call[3]), *call[4]):
        made = makers.get(register)
        if name == "item":
            yield register
        elif made is not None and made[0] == "call":
            yield from _templates(makers, made)
