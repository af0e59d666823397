"""Attributes that a class of the program does not have, or no object of it, by their text."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.class_attributes import ATTRIBUTES, OF_DECORATORS, OF_TYPES
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.faults.signatures import is_stub
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import decorators, names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction
from gotcha_lint.program.links import Links, Told

_NAMED_TUPLE = "typing.NamedTuple"
_DYNAMIC = frozenset(("setattr", "vars", "__dict__", "__getattr__", "__getattribute__"))


def _is_within(function: Function, body: Function) -> bool:
    """Is it a method of the class, or a function in one?"""
    around = function.parent
    while around is not None and around is not body:
        around = around.parent
    return around is not None


class Attributes:
    """Attributes that an object of a class of the program does not have."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._known: dict[Function, frozenset[str] | None] = {}
        self._written: set[str] | None = None
        self._extended: set[Function] = set()
        self._made: set[Function] = set()  # classes that are called
        self._given: dict[Function, frozenset[str]] = {}

    def check(self, links: Links, function: Function, step: Instruction) -> None:
        _, _, base, name, span = step
        link = links.of_register(function, base)
        if link is None or link.kind not in ("instance", "class") or name.startswith("__"):
            return
        if link.function not in self._known:
            self._known[link.function] = self._of(links, link.function)
        known = self._known[link.function]
        if known is None or name in known:
            return
        if link.kind == "class":
            if name in OF_TYPES or self._is_given(links, name):
                return
        elif link.virtual and not link.annotated:
            if not self._lacks(links, link.function, function, name):
                return
        elif name in self.written(links):
            return
        line = link.function.line
        place = link.function.path, (line, 1, line, 1), "defined here"
        text = "attribute", name, link.function.name
        maybe = link.annotated and not self._is_record(links, link.function)
        note(self.machine, "lacking", function, span, *text, places=(place,), maybe=maybe)

    def _is_record(self, links: Links, body: Function) -> bool:
        """A named tuple that nothing extends: what is annotated with it is no other class's."""
        self.written(links)
        parts = links.class_parts(body)
        return parts is not None and body not in self._extended and _NAMED_TUPLE in parts.library

    def _is_given(self, links: Links, name: str) -> bool:
        """Does a visible file give it to some object, or a name that is written nowhere?"""
        paths = self.machine.visible
        return any({name, "*"} & _given_outside(self.machine, links, path) for path in paths)

    def _of(self, links: Links, body: Function) -> frozenset[str] | None:
        """All that the text gives to its objects; None where not all is written out."""
        lineage = links.lineage(body)
        if lineage is None:
            return None
        found: set[str] = set()
        for one, parts in lineage:
            if parts.metaclass or not all(word in OF_DECORATORS for word in parts.decorators):
                return None
            if not all(name in ATTRIBUTES for name in parts.library):
                return None
            found.update(parts.fields, links.stores(one))
            for name in parts.library:
                found |= ATTRIBUTES[name]
            for word in parts.decorators:
                found |= OF_DECORATORS[word]
            for function in self.machine.modules[one.path].functions:
                if _is_within(function, one) and not _DYNAMIC.isdisjoint(names_used(function)):
                    return None
        return None if _DYNAMIC & found else frozenset(found)

    def _lacks(self, links: Links, body: Function, function: Function, name: str) -> bool:
        """Does no object with these methods have it, as far as can be told from the text?"""
        whole = self._is_whole(links, body)
        if whole and name not in self.written(links):
            return True
        if self.given(links, body).isdisjoint((name, "*")):
            if whole:
                return True
            named_so = any(p.name == name for p in function.parameters)
            by_init = function.name == "__init__" and function.parent is body and named_so
            return by_init or self._is_leaf(links, body)
        return False

    def _is_leaf(self, links: Links, body: Function) -> bool:
        """It has an `__init__` of its own, and all that the classes it extends leave to others."""
        lineage = links.lineage(body)
        if lineage is None or len(lineage) < 2 or "__init__" not in links.stores(body):
            return False
        has_stubs = False
        for one, _ in lineage:
            for method in self._methods(one):
                decorated = "abstractmethod" in decorators(method)
                if decorated or is_stub(method):
                    has_stubs = True
                    found = links.in_class(body, method.name)
                    if found is None or found[0] is one:
                        return False
        return has_stubs

    def _methods(self, body: Function) -> Iterator[Function]:
        for function in self.machine.modules[body.path].functions:
            if function.parent is body:
                yield function

    def given(self, links: Links, body: Function) -> frozenset[str]:
        """Names that its methods, those of classes that extend it, and code that has the object
        under another name give to it.

        "*" where something gives names that are written nowhere.
        """
        if body not in self._given:
            found: set[str] = set()
            for each in self._with_descendants(links, body):
                names = self._of(links, each)
                found |= {"*"} if names is None else names
                for one, _ in links.lineage(each) or ():
                    found.update(self._set_within(one))
            for path in self.machine.visible:
                found |= _given_outside(self.machine, links, path)
            self._given[body] = frozenset(found)
        return self._given[body]

    def _with_descendants(self, links: Links, body: Function) -> list[Function]:
        """The class, and the classes of all visible files that extend it."""
        found = [body]
        if body in self._extended:
            for path in self.machine.visible:
                for other in links.bodies(self.machine.modules[path]):
                    lineage = links.lineage(other) if other.is_class and other is not body else ()
                    if lineage is None or any(one is body for one, _ in lineage):
                        found.append(other)
        return found

    def _set_within(self, body: Function) -> Iterator[str]:
        for function in self.machine.modules[body.path].functions:
            if _is_within(function, body):
                yield from (i[3] for i in steps_of(function) if i[0] == "setattr")

    def _is_whole(self, links: Links, body: Function) -> bool:
        """Are objects made of the class itself, and does nothing extend it?

        Else a class of another file may add what this one lacks.
        """
        self.written(links)
        return body in self._made and body not in self._extended

    def written(self, links: Links) -> set[str]:
        """Names that the program gives to any object or class, or asks for as a text."""
        if self._written is None:
            self._written = set()
            for path in self.machine.visible:
                told = _told(self.machine, links, path)
                self._written |= told.names
                self._extended |= told.extended
                self._made |= told.made
        return self._written


def _told(machine: Machine, links: Links, path: str) -> Told:
    """What a file says of attributes: it follows from it and from what it imports.

    All who see the file see these, too, so it is the same for each of them.
    """
    known = machine.texts.told.get(path)
    if known is None:
        known = machine.texts.told[path] = Told()
        for function in links.bodies(machine.modules[path]):
            _collect(known, links, function)
    return known


def _given_outside(machine: Machine, links: Links, path: str) -> frozenset[str]:
    """Names that a file gives to objects other than the `self` of a method."""
    known = machine.texts.given.get(path)
    if known is None:
        found: set[str] = set()
        for function in links.bodies(machine.modules[path]):
            makers = links.makers(function)
            for i in steps_of(function):
                if i[0] == "setattr":
                    base = makers.get(i[2])
                    if base is None or base[0] != "load" or base[2] != "self":
                        found.add(i[3])
                elif (i[0] == "load" and i[2] in ("setattr", "vars")) or (
                    i[0] == "attr" and i[3] in ("__dict__", "__setattr__", "__setstate__")
                ):
                    found.add("*")
        known = machine.texts.given[path] = frozenset(found)
    return known


def _collect(told: Told, links: Links, function: Function) -> None:
    if function.is_class:
        told.names.update(links.stores(function))
        parts = links.class_parts(function)
        if parts is not None:
            told.names.update(parts.fields)
            told.extended.update(base.function for base in parts.bases)
    for i in steps_of(function):
        if i[0] == "setattr":
            told.names.add(i[3])
        elif i[0] == "const" and type(i[2]) is str and i[2].isidentifier():
            told.names.add(i[2])
        elif i[0] == "call":
            _, _, callee, _, keywords, _ = i
            told.names.update(name for name, _ in keywords if name)
            link = links.of_register(function, callee)
            if link is not None and link.kind == "class":
                told.made.add(link.function)
        elif i[0] == "delete" and i[2] == "attr":
            told.names.add(i[3][1])
