"""Tests for a type that an earlier test for a more general type has taken (floor `patterns`).

It under-approximates: of a class that is not known, of an object that may be another one by then,
and of a branch that may go on, nothing is said. `match` is lowered to the same tests.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from gotcha_lint.facts.classes import CLASSES, DATACLASS, DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import dotted

Type = str | Function  # the full name of a library's class, or the body of one of the program

_Found = TypeVar("_Found")

_OBJECT = "builtins.object"
_TESTS = frozenset(("builtins.isinstance", "builtins.issubclass"))
_DATACLASSES = frozenset(name.rpartition(".")[2] for name in DATACLASS_DECORATORS)
_LEAVES = frozenset(("return", "raise", "break", "continue"))
_ENDS = _LEAVES - {"continue"}
_BUILT_IN = ("Tuple", "List", "Dict", "Set", "FrozenSet")
_DEPTH = 3  # names of tuples of types that are followed
_TWO = 2


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A test, or an entry of a table, that never finds anything.

    `by`: the test or entry that takes all. `alone`: both tests are nothing else than one call.
    """

    span: Span
    special: str
    general: str
    by: Span
    alone: bool = False
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class _Taken:
    """A test that takes every object of a type, if `subject` is one."""

    subject: str
    type: Type
    span: Span
    alone: bool


def shadowed_types(links: Links, function: Function) -> Iterator[Shadowed]:
    """The tests and entries of one function, in the order of the text."""
    makers = links.makers(function)
    if not any(_is_test(links, function, i) for i in makers.values()):
        return
    yield from _Scan(links, function).region(function.body, ())


def _is_test(links: Links, function: Function, i: Instruction) -> bool:
    return i[0] == "call" and links.dotted(function, i[2]) in _TESTS


class _Scan:
    """One walk over the instructions of a function."""

    def __init__(self, links: Links, function: Function) -> None:
        self.links, self.function = links, function
        self.makers = links.makers(function)
        self.types = _Types(links)
        self.taken: tuple[_Taken, ...] = ()
        self.joins = dict(_joins(function.body))  # what `and` and `or` are made of, by their name

    def region(self, code: Region, taken: tuple[_Taken, ...]) -> Iterator[Shadowed]:
        """What earlier tests have taken goes on in `self.taken`."""
        for i in code:
            if i[0] == "store":
                taken = tuple(each for each in taken if each.subject.partition(".")[0] != i[2])
            elif i[0] == "setattr":
                changed = f"{dotted(self.makers, i[2])}.{i[3]}"
                taken = tuple(each for each in taken if not each.subject.startswith(changed))
            elif i[0] == "if" and not _is_join(i):
                yield from self._branches(i, taken)
                taken = self.taken
            elif i[0] == "for":
                yield from self._entries(i)
            regions = [] if i[0] == "if" else list(_regions(i))
            for inner in regions:
                yield from self.region(inner, ())
            taken = () if regions else taken
        self.taken = taken

    def _branches(self, i: Instruction, taken: tuple[_Taken, ...]) -> Iterator[Shadowed]:
        test, then, otherwise = i[2], i[3], i[4]
        span = self.makers[test][-1] if test in self.makers else i[-1]
        hit = self._blocked(test, taken)
        if hit is not None and hit[0].type != hit[1]:
            by, special = hit
            names = self.types.name(special), self.types.name(by.type)
            yield Shadowed(span, *names, by.span, by.alone and test not in self._joined())
        accepted = tuple(self._accepted(test, span))
        yield from self.region(then, taken)
        after_then = self.taken
        yield from self.region(otherwise, (*taken, *accepted))
        after_else = self.taken
        if _leaves(then):
            self.taken = after_else
        elif _leaves(otherwise):
            self.taken = after_then
        else:
            self.taken = tuple(each for each in taken if each in after_then and each in after_else)

    def _joined(self) -> set[Register]:
        return {register for register, made in self.makers.items() if self._parts(made)}

    def _parts(self, made: Instruction | None) -> tuple[bool, Register, Register] | None:
        """Of `a and b` or `a or b`: is it an `and`, and the two."""
        return self.joins.get(made[2]) if made is not None and made[0] == "load" else None

    def _accepted(self, test: Register, span: Span) -> Iterator[_Taken]:
        """What surely makes the test true."""
        parts = self._parts(self.makers.get(test))
        if parts is not None:
            both, *sides = parts
            for side in () if both else sides:
                yield from (replace(each, alone=False) for each in self._accepted(side, span))
            return
        tested = self._tested(test)
        for each in tested[1] if tested is not None else ():
            yield _Taken(tested[0] if tested is not None else "", each, span, True)

    def _blocked(self, test: Register, taken: tuple[_Taken, ...]) -> tuple[_Taken, Type] | None:
        """An earlier test that takes all that this one asks for, and the type in question."""
        parts = self._parts(self.makers.get(test))
        if parts is not None:
            both, *sides = parts
            hits = [hit for side in sides if (hit := self._blocked(side, taken)) is not None]
            if both:
                return next((hit for hit in hits if hit[0].type != hit[1]), (hits or [None])[0])
            return hits[0] if len(hits) == _TWO else None
        tested = self._tested(test)
        if tested is None:
            return None
        found = [(self._taker(tested[0], each, taken), each) for each in tested[1]]
        sure = [(taker, each) for taker, each in found if taker is not None]
        if not sure or len(sure) != len(found):
            return None
        return next((hit for hit in sure if hit[0].type != hit[1]), sure[0])

    def _taker(self, subject: str, special: Type, taken: tuple[_Taken, ...]) -> _Taken | None:
        found = (each for each in taken if each.subject == subject)
        return next((each for each in found if self.types.accepts(each.type, special)), None)

    def _tested(self, test: Register) -> tuple[str, tuple[Type, ...]] | None:
        """The subject and the types of `isinstance`, `is_dataclass`, `hasattr(x, "_fields")`."""
        call = self.makers.get(test)
        if call is None or call[0] != "call" or call[4] or any(star for star, _ in call[3]):
            return None
        given = [register for _, register in call[3]]
        name = self.links.dotted(self.function, call[2])
        subject = dotted(self.makers, given[0]) if given else ""
        if not subject:
            return None
        if name in _TESTS and len(given) == _TWO:
            types = self.types.named(self.function, given[1])
            return (subject, types) if types else None
        if name == "dataclasses.is_dataclass":
            return subject, (DATACLASS,)
        asked = self.makers.get(given[1]) if len(given) == _TWO else None
        if name == "builtins.hasattr" and asked is not None and asked[0] == "const":
            return (subject, (NAMED_TUPLE,)) if asked[2] == "_fields" else None
        return None

    # Tables of types that a loop searches

    def _entries(self, loop: Instruction) -> Iterator[Shadowed]:
        """`for kind, handler in TABLE: if isinstance(x, kind): return handler(x)`."""
        first = self._first_name(loop[4])
        test = self._search(loop[4], first) if first else None
        table = self._table(self.function, loop[2]) if test is not None else None
        if test is None or table is None or not self._stops(test, loop[4]):
            return
        owner, made = table
        makers = self.links.makers(owner)
        taken: list[tuple[Type, Span]] = []
        for _, pair in made[3]:
            entry = makers.get(pair)
            if entry is None or entry[0] != "build" or not entry[3]:
                continue
            kind = entry[3][0][1]
            span: Span = makers[kind][-1]
            types = self.types.named(owner, kind)
            above = [self._above(each, taken) for each in types]
            if above and above[0] is not None and None not in above:
                general, at = above[0]
                names = self.types.name(types[0]), self.types.name(general)
                yield Shadowed(span, *names, at, in_table=True)
            taken.extend((each, span) for each in types)

    def _above(self, special: Type, taken: list[tuple[Type, Span]]) -> tuple[Type, Span] | None:
        found = (g for g in taken if g[0] != special and self.types.accepts(g[0], special))
        return next(found, None)

    def _first_name(self, body: Region) -> str:
        """`kind`, of `for kind, handler in ...`."""
        unpacked = body[0] if body and body[0][0] == "unpack" else None
        if unpacked is None or not unpacked[3]:
            return ""
        stores = (i for i in body if i[0] == "store" and i[4] == unpacked[3][0])
        return next((i[2] for i in stores), "")

    def _search(self, body: Region, name: str) -> Instruction | None:
        """The call of `isinstance` that asks for the type of this turn."""
        for i in body:
            if _is_test(self.links, self.function, i) and len(i[3]) == _TWO:
                kind = self.makers.get(i[3][1][1])
                if kind is not None and kind[0] == "load" and kind[2] == name:
                    return i
        return None

    def _stops(self, test: Instruction, body: Region) -> bool:
        """The first type that fits is the only one: the search ends."""
        for i in body:
            made = self.makers.get(i[2]) if i[0] == "if" else None
            if made is None:
                continue
            if made is test:
                return _stops(i[3])
            if made[0] == "unop" and made[2] == "Not" and made[3] == test[1]:
                skips = bool(i[3]) and i[3][-1][0] == "continue"
                return _stops(i[4]) or (skips and _stops(body))
        return any(i[0] == "return" for i in body)  # `return f(x) if isinstance(x, kind) else ...`

    def _table(
        self, function: Function, register: Register, left: int = _DEPTH
    ) -> tuple[Function, Instruction] | None:
        """The tuple or list that a name stands for, where it is bound once."""
        made = self.links.makers(function).get(register)
        if made is None or not left:
            return None
        if made[0] == "build" and made[2] in ("tuple", "list"):
            return (function, made) if not any(star for star, _ in made[3]) else None
        return _held(self.links, function, made, lambda f, r: self._table(f, r, left - 1))


def _held(
    links: Links,
    function: Function,
    load: Instruction,
    follow: Callable[[Function, Register], _Found | None],
) -> _Found | None:
    """What follows from the one value that a name of the function, or of the module, is given."""
    owner = function if load[0] == "load" and load[3] == 0 else None
    if load[0] == "load" and load[3] == -1:
        owner = links.finder.modules[function.path].top
    stored = links.stores(owner).get(load[2], []) if owner is not None else []
    if owner is None or len(stored) != 1 or stored[0] < 0:
        return None
    return follow(owner, stored[0])


def _stops(region: Region) -> bool:
    return bool(region) and region[-1][0] in _ENDS


def _leaves(region: Region) -> bool:
    """Nothing after it runs."""
    if not region:
        return False
    last = region[-1]
    if last[0] == "if":
        return _leaves(last[3]) and _leaves(last[4])
    return last[0] in _LEAVES


def _regions(i: Instruction) -> Iterator[Region]:
    for part in i:
        if isinstance(part, list):
            yield from part if part and isinstance(part[0], list) else [part]


def _is_join(i: Instruction) -> bool:
    """Is it half of `a and b` or `a or b`?"""
    ends = [region[-1] for region in (i[3], i[4]) if region]
    return len(ends) == _TWO and all(e[0] == "store" and e[2].startswith("%") for e in ends)


def _joins(code: Region) -> Iterator[tuple[str, tuple[bool, Register, Register]]]:
    """By the name of the value: is it an `and`, and both sides."""
    for i in code:
        if i[0] == "if" and _is_join(i):
            then, otherwise = i[3][-1], i[4][-1]
            if otherwise[4] == i[2]:
                yield then[2], (True, i[2], then[4])
            elif then[4] == i[2]:
                yield then[2], (False, i[2], otherwise[4])
        for region in _regions(i):
            yield from _joins(region)


def _plain(name: str) -> str:
    """`typing.Mapping` is `collections.abc.Mapping` for `isinstance`."""
    word = name.removeprefix("typing.")
    if word == name or name == NAMED_TUPLE:
        return name
    return f"builtins.{word.lower()}" if word in _BUILT_IN else f"collections.abc.{word}"


class _Types:
    """Which types an expression names, and which of them accepts which."""

    def __init__(self, links: Links) -> None:
        self.links = links

    def named(self, function: Function, register: Register, left: int = _DEPTH) -> tuple[Type, ...]:
        """The types in the second argument of `isinstance`; none if one of them is not known."""
        made = self.links.makers(function).get(register)
        if made is None or not left:
            return ()
        if made[0] == "build" and made[2] == "tuple":
            return self._all(function, [one for _, one in made[3]], left)
        if made[0] == "binop" and made[2] == "BitOr":
            return self._all(function, [made[3], made[4]], left)
        link = self.links.of_register(function, register)
        if link is not None:
            return (link.function,) if link.kind == "class" else ()
        full = _plain(self.links.dotted(function, register))
        if full and (not full.startswith("builtins.") or hasattr(builtins, full[9:])):
            return (full,)
        found = _held(self.links, function, made, lambda f, r: self.named(f, r, left - 1))
        return found or ()

    def _all(self, function: Function, registers: list[Register], left: int) -> tuple[Type, ...]:
        parts = [self.named(function, register, left) for register in registers]
        return tuple(each for part in parts for each in part) if all(parts) else ()

    def accepts(self, general: Type, special: Type) -> bool:
        """Does every object of the special type pass a test for the general one?"""
        return general == _OBJECT or general in self._above(special)

    def _above(self, special: Type) -> set[Type]:
        """The type itself and all above it, as far as is known."""
        found: set[Type] = set()
        todo = [special]
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo.extend(CLASSES.get(one, ()) if isinstance(one, str) else self._bases(one))
        return found

    def _bases(self, body: Function) -> Iterator[Type]:
        parts = self.links.class_parts(body)
        if parts is not None:
            yield from (base.function for base in parts.bases)
            yield from map(_plain, filter(None, parts.library))
            if not _DATACLASSES.isdisjoint(parts.decorators):
                yield DATACLASS

    def name(self, of: Type) -> str:
        """How messages call a type."""
        if isinstance(of, Function):
            return of.name
        return "dataclass" if of == DATACLASS else of.removeprefix("builtins.")
