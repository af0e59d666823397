"""Views of dicts and iterators that are given as pytrees (floor `patterns`).

JAX takes one for a single leaf. It under-approximates: what surely is one on each path, given to a
function that takes trees, or to a function of the program that is compiled with options that are
written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.jax import STATIC_OPTIONS
from gotcha_lint.facts.trees import TAKE_MANY, TAKE_TREES
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import spelled

_VIEWS = {"values": "`dict_values`", "keys": "`dict_keys`", "items": "`dict_items`"}
_LAZY = frozenset(("zip", "map", "filter", "enumerate", "reversed"))
_OWNERS = frozenset(("instance", "class", "module"))  # they may have a method of this name
# Transforms that look at every leaf of every argument.
_COMPILE = frozenset(("jax.jit", "flax.nnx.jit", "jax.pmap", "flax.nnx.pmap"))


@dataclass(frozen=True)
class Leaf:
    """`kind`: what it is; `taker`: what takes it for a leaf; `fix`: how it becomes a list."""

    span: Span
    kind: str
    taker: str
    fix: str


def iterator_leaves(origins: Origins, function: Function) -> Iterator[Leaf]:
    """Those that the calls of one function are given."""
    reader = origins.reader(function)
    for call in steps_of(function):
        if call[0] != "call" or not (call[3] or call[4]):
            continue
        given = [r for _, r in call[3]] + [r for _, r in call[4]]
        kinds = {register: _kind(origins, function, register) for register in given}
        if not any(kinds.values()) or origins.is_attempted(function, call):
            continue
        for register, taker in _trees(origins, function, call):
            kind = kinds.get(register, "")
            if kind:
                named = reader.makers[register][0] == "load"
                fix = "list" if kind != "generator" else "" if named else "brackets"
                yield Leaf(reader.makers[register][-1], kind, taker, fix)


def _kind(origins: Origins, function: Function, register: Register) -> str:
    made = origins.reader(function).made(register)
    if made is None:
        return ""
    if made[1] in function.generators:
        return "generator"
    makers = origins.links.makers(function)
    callee = makers.get(made[2]) if made[0] == "call" else None
    if callee is None:
        return ""
    if callee[0] == "attr" and callee[3] in _VIEWS and not made[3] and not made[4]:
        link = origins.links.of_register(function, callee[2])
        return "" if link is not None and link.kind in _OWNERS else _VIEWS[callee[3]]
    if callee[0] == "load" and callee[2] in _LAZY:
        is_own = origins.links.dotted(function, made[2]) == f"builtins.{callee[2]}"
        return f"`{callee[2]}` object" if is_own else ""
    return ""


def _trees(
    origins: Origins, function: Function, call: Instruction
) -> Iterator[tuple[Register, str]]:
    """The arguments that have to be pytrees, and what wants them so."""
    if any(star for star, _ in call[3]) or any(name in (None, "is_leaf") for name, _ in call[4]):
        return
    name = origins.names.of_call(function, call)
    first = TAKE_TREES.get(name)
    if first is not None:
        last = None if name in TAKE_MANY else first + 1
        yield from ((register, f"`{name}`") for _, register in call[3][first:last])
        return
    found = _Compiled.of(origins, function, call)
    if found is not None:
        for place, (_, register) in enumerate(call[3]):
            if place not in found.static:
                yield register, f"`{found.name}`"
        yield from ((r, f"`{found.name}`") for name, r in call[4] if name not in found.static)


@dataclass(frozen=True)
class _Compiled:
    """A function of the program that is compiled; `static`: its static arguments."""

    name: str
    static: frozenset[object]

    @staticmethod
    def of(origins: Origins, function: Function, call: Instruction) -> _Compiled | None:
        found = origins.of(function, call[2])
        if found is None:
            return None
        owner, made = found
        if isinstance(made, str) or made[0] != "call":
            return None
        makers = origins.links.makers(owner)
        options: dict[str, Register] = dict(made[4])
        if origins.names.of_call(owner, made) not in _COMPILE:
            partial = makers.get(made[2])
            if partial is None or partial[0] != "call" or len(partial[3]) != 1:
                return None
            is_partial = origins.names.of_call(owner, partial) == "functools.partial"
            if not is_partial or origins.of_argument(owner, partial) not in _COMPILE:
                return None
            options |= dict(partial[4])
        static: list[object] = []
        for word in options.keys() & STATIC_OPTIONS:
            known = _constants(origins, owner, options[word])
            if known is None:
                return None
            static += known
        link = origins.links.of_register(owner, made[3][0][1]) if made[3] else None
        inner = link.function if link is not None and link.kind == "function" else None
        names = [p.name for p in inner.parameters if p.kind == "pos"] if inner is not None else []
        static += [names[each] for each in static if isinstance(each, int) and each < len(names)]
        static += [names.index(each) for each in static if isinstance(each, str) and each in names]
        name = inner.name if inner is not None else spelled(origins.links.makers(function), call[2])
        return _Compiled(name, frozenset(static))


def _constants(origins: Origins, owner: Function, register: Register) -> list[object] | None:
    """A name or a number, or a tuple or list of such; None for all else."""
    made = origins.reader(owner).made(register)
    if made is None:
        return None
    if made[0] == "const":
        return [made[2]]
    if made[0] != "build":
        return None
    each = [origins.links.makers(owner).get(one) for _, one in made[3]]
    known = [one[2] for one in each if one is not None and one[0] == "const"]
    return known if len(known) == len(each) else None
