"""Tests for a class that come after a test for one that takes all of its instances (`patterns`).

It under-approximates: classes that are known by name, tests of one variable with no store between.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.classes import CLASSES, DATACLASS, DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.patterns.constructors import decorators
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Case, Function, Instruction, Region, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted

Type = str | Function  # the full name of a class, or the body of one of the program
_ENDS = ("return", "raise", "break", "continue")
_TESTS = frozenset(("isinstance", "issubclass"))


@dataclass(frozen=True)
class Dead:
    """`special` and `general`: the classes; `fix`: how far the earlier branch is, "" if no fix."""

    span: Span
    special: str
    general: str
    earlier: Span
    fix: str = ""
    in_table: bool = False


@dataclass(frozen=True)
class _Taken:
    subject: str
    type: Type
    span: Span
    plain: bool
    depth: int  # how many `else` it is in
    chain: int  # the first `if` of its chain


def dead_branches(origins: Origins, function: Function) -> list[Dead]:
    """Those of one function."""
    scan = _Scan(origins, function)
    scan.block(function.body, (), 0, 0)
    for subject, cases in function.matches:
        scan.match(subject, cases)
    for i in steps_of(function):
        if i[0] == "for":
            scan.table(i)
    return scan.found


class _Scan:
    def __init__(self, origins: Origins, function: Function) -> None:
        self.origins, self.function = origins, function
        self.links = origins.links
        self.makers = origins.links.makers(function)
        self.found: list[Dead] = []
        self.phis = {
            i[2]: i for i in steps_of(function) if i[0] == "store" and i[2].startswith("%")
        }
        self.choices = {
            store[2]: i
            for i in steps_of(function)
            if i[0] == "if"
            for store in (*i[3][-1:], *i[4][-1:])
            if store[0] == "store" and store[2] in self.phis
        }
        self.choosing = {id(i) for i in self.choices.values()}

    # Chains of `if`

    def block(self, code: Region, taken: tuple[_Taken, ...], depth: int, chain: int) -> None:
        after: Instruction | None = None  # the `if` that stands right before
        for i in code:
            if i[0] == "if" and id(i) not in self.choosing:
                taken = self._if(i, taken, depth, chain or id(i), after)
                after = i
                continue
            if i[0] in ("store", "augment", "setattr", "unpack", "delete"):
                names = _bound([i])
                taken = tuple(t for t in taken if t.subject.partition(".")[0] not in names)
                after = None
            elif i[0] != "if" and any(isinstance(part, list) for part in i):
                for part in i:
                    if isinstance(part, list):
                        nested = part and isinstance(part[0], list)
                        for region in part if nested else [part]:
                            self.block(region, (), 0, 0)
                taken = ()
            elif i[0] in ("return", "raise", "discard", "import"):
                after = None

    def _if(
        self,
        i: Instruction,
        taken: tuple[_Taken, ...],
        depth: int,
        chain: int,
        after: Instruction | None,
    ) -> tuple[_Taken, ...]:
        self._judge(i, taken, depth, chain, after)
        test = self.makers.get(i[2])
        plain = test is not None and test[0] == "call"
        span = test[-1] if test is not None else i[-1]
        own = tuple(
            _Taken(subject, one, span, plain, depth, chain)
            for subject, types in self._accepted(i[2])
            for one in types
        )
        self.block(i[3], taken, 0, 0)
        self.block(i[4], taken + own, depth + 1, chain)
        kept = taken + own if _ends(i[3]) else taken
        if i[4] and i[4][-1][0] == "if" and id(i[4][-1]) not in self.choosing:
            kept += self._after(i[4][-1], depth + 1, chain)
        lost = _bound(instructions([*([] if _ends(i[3]) else i[3]), *i[4]]))
        return tuple(t for t in kept if t.subject.partition(".")[0] not in lost)

    def _after(self, i: Instruction, depth: int, chain: int) -> tuple[_Taken, ...]:
        """What the branches of an `elif` take that end."""
        test = self.makers.get(i[2])
        if not _ends(i[3]) or test is None:
            return ()
        plain = test[0] == "call"
        return tuple(
            _Taken(subject, one, test[-1], plain, depth, chain)
            for subject, types in self._accepted(i[2])
            for one in types
        )

    def _judge(
        self,
        i: Instruction,
        taken: tuple[_Taken, ...],
        depth: int,
        chain: int,
        after: Instruction | None,
    ) -> None:
        hit = self._blocked(i[2], taken)
        if hit is None or hit[0].type == hit[1]:
            return
        by, special = hit
        test = self.makers[i[2]]
        fix = ""
        if test[0] == "call" and by.plain:
            if by.chain == chain and depth > by.depth:
                fix = str(depth - by.depth)
            elif after is not None and not after[4] and not i[4]:
                before = self.makers.get(after[2])
                fix = "next" if before is not None and before[-1] == by.span else ""
        self.found.append(Dead(test[-1], _name(special), _name(by.type), by.span, fix))

    def _parts(self, register: Register) -> tuple[str, list[Register]]:
        """`a and b`, `a or b`: how they are joined, and the two."""
        made = self.makers.get(register)
        choice = self.choices.get(made[2]) if made is not None and made[0] == "load" else None
        if choice is None or not choice[3] or not choice[4]:
            return "", []
        then, other = choice[3][-1][4], choice[4][-1][4]
        if other == choice[2]:
            return "and", [choice[2], then]
        return ("or", [choice[2], other]) if then == choice[2] else ("", [])

    def _accepted(self, test: Register) -> Iterator[tuple[str, tuple[Type, ...]]]:
        """What surely makes the test true."""
        how, parts = self._parts(test)
        if how == "or":
            for part in parts:
                yield from self._accepted(part)
        tested = self._tested(test)
        if tested is not None:
            yield tested

    def _blocked(self, test: Register, taken: tuple[_Taken, ...]) -> tuple[_Taken, Type] | None:
        """An earlier branch that takes all that this test asks for, and the class in question."""
        how, parts = self._parts(test)
        if how:
            hits = [self._blocked(part, taken) for part in parts]
            sides = [hit for hit in hits if hit is not None]
            if how == "or":
                return sides[0] if len(sides) == len(hits) else None
            return next((s for s in sides if s[0].type != s[1]), sides[0] if sides else None)
        tested = self._tested(test)
        return None if tested is None else self._all_taken(*tested, taken)

    def _all_taken(
        self, subject: str, types: Iterable[Type], taken: tuple[_Taken, ...]
    ) -> tuple[_Taken, Type] | None:
        pairs: list[tuple[_Taken, Type]] = []
        for one in types:
            above = self._above(one)
            by = next((t for t in taken if t.subject == subject and t.type in above), None)
            if by is None:
                return None
            pairs.append((by, one))
        return next((p for p in pairs if p[0].type != p[1]), pairs[0]) if pairs else None

    def _tested(self, register: Register) -> tuple[str, tuple[Type, ...]] | None:
        """The subject and the classes of `isinstance`, `is_dataclass`, `hasattr(x, "_fields")`."""
        call = self.makers.get(register)
        if call is None or call[0] != "call" or call[4] or any(star for star, _ in call[3]):
            return None
        subject = dotted(self.makers, call[3][0][1]) if call[3] else ""
        name = self.links.dotted(self.function, call[2])
        word = name.removeprefix("builtins.")
        if not subject:
            return None
        if name != word and word in _TESTS and len(call[3]) == 2:
            types = self._types(self.function, call[3][1][1])
            return (subject, types) if types else None
        if self.origins.names.of_call(self.function, call) == "dataclasses.is_dataclass":
            return subject, (DATACLASS,)
        asked = self.makers.get(call[3][1][1]) if len(call[3]) == 2 else None
        if name == "builtins.hasattr" and asked is not None and asked[0] == "const":
            return (subject, (NAMED_TUPLE,)) if asked[2] == "_fields" else None
        return None

    # Classes

    def _types(self, function: Function, register: Register, left: int = 3) -> tuple[Type, ...]:
        """The classes that are named; none if one of them is not known."""
        made = self.links.makers(function).get(register)
        if made is None or not left:
            return ()
        if made[0] == "build" or (made[0] == "binop" and made[2] == "BitOr"):
            parts = [one for _, one in made[3]] if made[0] == "build" else list(made[3:5])
            each = [self._types(function, one, left) for one in parts]
            return tuple(t for one in each for t in one) if all(each) else ()
        if made[0] not in ("load", "attr"):
            return ()
        link = self.links.of_register(function, register)
        if link is not None:
            return (link.function,) if link.kind == "class" else ()
        name = self.origins.names.of_register(function, register)
        if name:
            return (_plain(name),)
        name = self.links.dotted(function, register)
        if name.startswith("builtins.") and hasattr(builtins, name[9:]):
            return (name,)
        found = self.origins.of(function, register) if made[0] == "load" else None
        if found is None or isinstance(found[1], str) or found[1][0] not in ("build", "binop"):
            return ()
        return self._types(found[0], found[1][1], left - 1)

    def _above(self, one: Type) -> set[Type]:
        """The class and all above it, as far as is known."""
        found: set[Type] = set()
        todo: list[Type] = [one, "builtins.object"]
        while todo:
            each = todo.pop()
            if each in found:
                continue
            found.add(each)
            if isinstance(each, str):
                todo += CLASSES.get(each, ())
                continue
            parts = self.links.class_parts(each)
            if parts is not None:
                todo += [base.function for base in parts.bases]
                todo += [_plain(base) for base in parts.library if base]
            if any(name in DATACLASS_DECORATORS for name, _ in decorators(self.links, each)):
                todo.append(DATACLASS)
        return found

    # `match`

    def match(self, subject: str, cases: tuple[Case, ...]) -> None:
        taken: tuple[_Taken, ...] = ()
        for place, case in enumerate(cases):
            wanted = self._named(case.wanted)
            hit = self._all_taken(subject, wanted, taken)
            if hit is not None and hit[0].type != hit[1]:
                by = hit[0]
                fix = f"case {place - by.depth}" if case.plain and by.plain else ""
                self.found.append(Dead(case.span, _name(hit[1]), _name(by.type), by.span, fix))
            if not case.guarded:
                whole = [t for name in case.accepts for t in self._named((name,))]
                taken += tuple(
                    _Taken(subject, one, case.span, case.plain, place, 0) for one in whole
                )

    def _named(self, names: Iterable[str]) -> tuple[Type, ...]:
        found: list[Type] = []
        for name in names:
            head, *rest = name.split(".")
            link = self.links.of_name(self.function, head, -1, 0)
            for word in rest if link is not None else ():
                link = self.links.member(link, word) if link is not None else None
            library = self.origins.names.of_slot(self.function, (head, -1))
            if link is not None and link.kind == "class":
                found.append(link.function)
            elif library:
                found.append(_plain(".".join((library, *rest))))
            elif name in ("collections.abc.Mapping",):
                found.append(name)
            elif hasattr(builtins, name):
                found.append(f"builtins.{name}")
            else:
                return ()
        return tuple(found)

    # Tables that are searched in turn

    def table(self, loop: Instruction) -> None:
        element = loop[3]
        held = {element}
        names: set[str] = set()
        for i in instructions(loop[4]):
            if i[0] == "unpack" and i[2] == element:
                held.add(i[3][0])
            if i[0] == "store" and i[4] in held - {element}:
                names.add(i[2])
        if not names:
            return
        if not any(self._finds(i, names, loop[4]) for i in instructions(loop[4])):
            return
        made = self.origins.reader(self.function).made(loop[2])
        owner = self.function
        if made is not None and made[0] == "load":
            found = self.origins.of(self.function, loop[2])
            if found is None:
                return
            owner, table = found
            if isinstance(table, str):
                return
            made = table
        if made is None or made[0] != "build":
            return
        taken: tuple[_Taken, ...] = ()
        for _, row in made[3]:
            entry = self.links.makers(owner).get(row)
            if entry is None or entry[0] != "build" or not entry[3]:
                continue
            first = entry[3][0][1]
            at = self.links.makers(owner)[first][-1]
            types = self._types(owner, first)
            hit = self._all_taken("", types, taken)
            if hit is not None and hit[0].type != hit[1]:
                dead = Dead(at, _name(hit[1]), _name(hit[0].type), hit[0].span, in_table=True)
                self.found.append(dead)
            taken += tuple(_Taken("", one, at, False, 0, 0) for one in types)

    def _finds(self, i: Instruction, names: set[str], turn: Region) -> bool:
        """Is it a test for the class, after which the first one that fits is the only one?"""
        if i[0] != "if":
            return False
        test, negated = self.makers.get(i[2]), False
        if test is not None and test[0] == "unop" and test[2] == "Not":
            test, negated = self.makers.get(test[3]), True
        if test is None or test[0] != "call" or len(test[3]) != 2:
            return False
        word = self.links.dotted(self.function, test[2]).removeprefix("builtins.")
        kind = dotted(self.makers, test[3][1][1])
        if word not in _TESTS or kind not in names:
            return False
        if id(i) in self.choosing:
            return True  # `return do(x) if isinstance(x, kind) else ...`
        if not negated:
            return _stops(i[3])
        if i[4]:
            return _stops(i[4])
        skips = bool(i[3]) and i[3][-1][0] == "continue"
        return skips and any(one is i for one in turn) and _stops(turn)


def _stops(code: Region) -> bool:
    return bool(code) and code[-1][0] in ("return", "break", "raise")


def _ends(code: Region) -> bool:
    if not code:
        return False
    last = code[-1]
    return last[0] in _ENDS or (last[0] == "if" and _ends(last[3]) and _ends(last[4]))


def _bound(code: Iterable[Instruction]) -> set[str]:
    names: set[str] = set()
    for i in code:
        if i[0] == "store":
            names.add(i[2])
        elif i[0] == "delete" and i[2] == "name":
            names.add(i[3][0])
    return names


def _plain(name: str) -> str:
    """`typing.Mapping` is `collections.abc.Mapping` for `isinstance`."""
    word = name.removeprefix("typing.")
    if word == name or word == "NamedTuple":
        return name
    known = word in ("Tuple", "List", "Dict", "Set", "FrozenSet")
    return f"builtins.{word.lower()}" if known else f"collections.abc.{word}"


def _name(one: Type) -> str:
    """How messages call a class."""
    if isinstance(one, str):
        return "dataclass" if one == DATACLASS else one.removeprefix("builtins.")
    return one.name
