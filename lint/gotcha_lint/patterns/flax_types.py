"""Tests for a type that Flax does not give (floor `patterns`).

Linen turns the lists and dicts of a module's fields into tuples and `FrozenDict`s before a method
runs in `init` or `apply`. `init` itself gives plain dicts since Flax 0.7. It under-approximates:
a function that asks for the other type as well takes care of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import decorators, instructions, names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links

_LINEN = "flax.linen.Module"
_FROZEN = frozenset(("flax.core.FrozenDict", "flax.core.frozen_dict.FrozenDict", "flax.FrozenDict"))
_MAPPINGS = (".dict", ".Mapping", ".MutableMapping", ".Dict")
_BECOMES = {"builtins.list": "a tuple", "builtins.dict": "a `FrozenDict`"}
_NO_TYPES = {  # functions called like the type that they make, abstract types -> what to ask for
    "torch.tensor": ("a function", "torch.Tensor"),
    "numpy.array": ("a function", "numpy.ndarray"),
    "jax.numpy.array": ("a function", "jax.Array"),
    "jax.numpy.asarray": ("a function", "jax.Array"),
    "jax.numpy.ndarray": ("an abstract class", "jax.Array"),
    "jax.Array": ("an abstract class", "jax.Array"),
}
_EQUALITIES = frozenset(("Eq", "Is", "NotEq", "IsNot"))
_FREEZES = frozenset(("freeze", "flax_return_frozendict", "FLAX_RETURN_FROZENDICT"))


@dataclass(frozen=True)
class VainTest:
    """`kind`: "field" or "tree"; `what` is tested for `asked`, and is `given` instead."""

    kind: str
    span: Span
    what: str
    asked: str
    given: str


def tested_fields(links: Links, function: Function) -> Iterator[VainTest]:
    """`isinstance(self.widths, list)` in a method of a linen module that Flax runs."""
    body = function.parent
    if body is None or not body.is_class or not _runs_bound(function):
        return
    lineage = links.lineage(body)
    if lineage is None or not any(_LINEN in parts.library for _, parts in lineage):
        return
    fields = {name for _, parts in lineage for name in parts.fields}
    makers = links.makers(function)
    tests = [(i, *found) for i in steps_of(function) if (found := _test(links, function, i))]
    for call, register, types in tests:
        on = makers.get(register)
        base = makers.get(on[2]) if on is not None and on[0] == "attr" else None
        if on is None or base is None or base[0] != "load" or base[2] != "self":
            continue
        same = [more for _, other, more in tests if _name(makers, other) == _name(makers, register)]
        if on[3] in fields and len(types) == 1 and types[0] in _BECOMES and len(same) == 1:
            asked = types[0].rpartition(".")[2]
            yield VainTest("field", call[-1], f"self.{on[3]}", asked, _BECOMES[types[0]])


def _runs_bound(function: Function) -> bool:
    return function.name in ("setup", "__call__") or "compact" in decorators(function)


def _name(makers: dict[Register, Instruction], register: Register) -> str:
    made = makers.get(register)
    return made[3] if made is not None and made[0] == "attr" else ""


def tested_by_equality(links: Links, function: Function) -> Iterator[VainTest]:
    """`type(x) == torch.tensor`: that is a function, and the type of nothing."""
    makers = links.makers(function)
    for i in steps_of(function):
        if i[0] != "compare" or i[2] not in _EQUALITIES:
            continue
        for side, other in ((i[3], i[4]), (i[4], i[3])):
            made, name = makers.get(side), links.dotted(function, other)
            if name not in _NO_TYPES or made is None or made[0] != "call" or len(made[3]) != 1:
                continue
            if links.dotted(function, made[2]) == "builtins.type":
                yield VainTest("equality", i[-1], name, *_NO_TYPES[name])


def walked_trees(links: Links, function: Function) -> Iterator[VainTest]:
    """`isinstance(tree, FrozenDict)` alone lets a walk of a tree go down."""
    if "FrozenDict" not in names_used(function):
        return
    makers = links.makers(function)
    tests = {i[1]: found for i in steps_of(function) if (found := _test(links, function, i))}
    if any(name.endswith(_MAPPINGS) for _, types in tests.values() for name in types):
        return
    tests = {at: found for at, found in tests.items() if set(found[1]) <= _FROZEN}
    for i in steps_of(function):
        if i[0] != "if":
            continue
        test, branch = i[2], i[3]
        made = makers.get(test)
        if made is not None and made[0] == "unop" and made[2] == "Not":
            test, branch = made[3], i[4]
        if test in tests and _calls_itself(function, makers, branch):
            call = makers[test]
            held = makers.get(tests[test][0])
            what = held[2] if held is not None and held[0] == "load" else "the tree"
            yield VainTest("tree", call[-1], what, "FrozenDict", "a plain dict")


def may_freeze(modules: Iterable[Module]) -> bool:
    """Does the program make `FrozenDict`s of its variables?"""
    return any(
        not _FREEZES.isdisjoint(_words(function))
        for module in modules
        for function in module.functions
    )


def _words(function: Function) -> Iterator[str]:
    yield from names_used(function)
    for i in steps_of(function):
        if i[0] == "const" and isinstance(i[2], str):
            yield i[2]


def _calls_itself(
    function: Function, makers: dict[Register, Instruction], region: list[Instruction]
) -> bool:
    for i in instructions(region):
        called = makers.get(i[2]) if i[0] == "call" else None
        if called is not None and called[0] in ("load", "attr"):
            word = called[2] if called[0] == "load" else called[3]
            if word == function.name:
                return True
    return False


def _test(
    links: Links, function: Function, call: Instruction
) -> tuple[Register, tuple[str, ...]] | None:
    """What `isinstance` is asked about, and the full names of the types."""
    if call[0] != "call" or len(call[3]) != 2 or call[4]:
        return None
    if links.dotted(function, call[2]) != "builtins.isinstance":
        return None
    made = links.makers(function).get(call[3][1][1])
    if made is not None and made[0] == "build":
        return call[3][0][1], tuple(links.dotted(function, one) for _, one in made[3])
    return call[3][0][1], (links.dotted(function, call[3][1][1]),)
