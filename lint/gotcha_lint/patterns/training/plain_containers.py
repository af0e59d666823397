"""Attributes of nnx modules that are plain containers of modules or arrays (`patterns`; must).

Silent where a class of the lineage is not known or of another file, where it says something of the
attribute itself, and where the code asks for a version. What a name or a function holds is followed
where one definition is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.classes import CLASSES
from gotcha_lint.facts.layers import operations_of
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span
from gotcha_lint.program.links import Links

_MODULE, _NNX = "flax.nnx.Module", "flax.nnx."
_DATA = frozenset((_MODULE, "flax.nnx.Variable"))
_ARRAYS = "jax.numpy."
_OF_TYPES = frozenset(("dtype", "finfo", "iinfo", "result_type", "promote_types", "shape", "ndim"))
_GROW = frozenset(("append", "insert"))
_DEPTH = 4  # of names and calls


@dataclass(frozen=True)
class PlainContainer:
    """`kind`: "list", "dict" or "tuple"; `name`: of the attribute."""

    span: Span
    name: str
    kind: str


def plain_containers(links: Links, function: Function) -> Iterator[PlainContainer]:
    """What one method stores in its object."""
    body = function.parent
    if body is None or not body.is_class or not function.parameters:
        return
    if not any(i[0] == "setattr" for i in steps_of(function)) or not _is_open(links, body):
        return
    reader = _Reader(links, function)
    own = function.parameters[0].name
    for write in _unasked(links, function, function.body):
        on = reader.makers.get(write[2]) if write[0] == "setattr" else None
        if on is not None and on[:3:2] == ("load", own) and not _is_field(links, body, write[3]):
            kind = "" if reader.is_wrapped(write) else reader.container(write[4], write, 0)
            if kind:
                yield PlainContainer(write[-1], write[3], kind)


def _is_open(links: Links, body: Function) -> bool:
    """A class of nnx modules of which all is known, with no options and no decorators."""
    lineage = links.lineage(body)
    if lineage is None or not any(_MODULE in parts.library for _, parts in lineage):
        return False
    own = lineage[0][1]
    return not (own.metaclass or own.decorators or any(one.path != body.path for one, _ in lineage))


def _is_field(links: Links, body: Function, name: str) -> bool:
    return any(name in parts.fields for _, parts in links.lineage(body) or ())


def _unasked(links: Links, function: Function, code: Region) -> Iterator[Instruction]:
    """Outside of `try`, and of branches that ask whether the library is a new one."""
    for i in code:
        yield i
        if i[0] == "try" and i[3]:
            continue
        if i[0] == "if" and _asks(links, function, i[2]):
            continue
        for part in i:
            if isinstance(part, list) and part:
                for region in part if isinstance(part[0], list) else [part]:
                    yield from _unasked(links, function, region)


def _asks(links: Links, function: Function, register: Register) -> bool:
    todo, makers = [register], links.makers(function)
    while todo:
        made = makers.get(todo.pop())
        if made is None:
            continue
        word = made[3] if made[0] == "attr" else made[2] if made[0] == "load" else ""
        if "version" in word.lower() or word == "hasattr":
            return True
        todo += {"call": [made[2]], "attr": [made[2]], "unop": [made[3]], "compare": made[3:5],
                 "item": [made[2]]}.get(made[0], [])  # fmt: skip
    return False


class _Reader:
    """What the registers of a function hold."""

    def __init__(self, links: Links, function: Function) -> None:
        self.links = links
        self.function = function
        self.makers = links.makers(function)

    def is_wrapped(self, write: Instruction) -> bool:
        """`self.layers = nnx.data(self.layers)` after it, or `nnx.data(None)` before."""
        for i in steps_of(self.function):
            if i[0] == "setattr" and i[3] == write[3]:
                made = self.makers.get(i[4])
                if made is not None and made[0] == "call" and self._called(made) is None:
                    return True
        return False

    def container(self, register: Register, write: Instruction | None, depth: int) -> str:
        """The kind of a display that holds data; `write`: what it is stored by."""
        made = self.makers.get(register)
        names = {("attr", write[3])} if write is not None else set[tuple[str, str]]()
        if made is not None and made[0] == "load" and made[3] == 0:
            stored = self.links.stores(self.function).get(made[2], [])
            names.add(("load", made[2]))
            register = stored[0] if len(stored) == 1 else register
            made = self.makers.get(register)
        if made is None or depth > _DEPTH:
            return ""
        if made[0] == "dict":
            values = [value for _, value in made[2]]
        elif made[0] == "build" and made[2] in ("list", "tuple", "dict"):
            values = [value for star, value in made[3] if not star]
        else:
            return self._returned(made, depth) if made[0] == "call" else ""
        kind = "dict" if made[0] == "dict" else made[2]
        values += [i[3] for i in steps_of(self.function) if i[0] == "append" and i[2] == register]
        values += self._added(names)
        return kind if any(self._is_data(value, depth) for value in values) else ""

    def _returned(self, call: Instruction, depth: int) -> str:
        """`self.layers = tower(sizes, rngs)`: what a function of the program gives."""
        function = self._called(call)
        if function is None or function.is_class or function.is_generator:
            return ""
        inner = _Reader(self.links, function)
        returns = [i[2] for i in steps_of(function) if i[0] == "return"]
        kinds = {"" if one is None else inner.container(one, None, depth + 1) for one in returns}
        return kinds.pop() if len(kinds) == 1 else ""

    def _added(self, names: set[tuple[str, str]]) -> Iterator[Register]:
        """`self.layers.append(x)`, `heads["a"] = x`."""
        for i in steps_of(self.function):
            if i[0] == "setitem" and self._is_one(i[2], names):
                yield i[4]
            elif i[0] == "call" and i[3]:
                method = self.makers.get(i[2])
                grows = method is not None and method[0] == "attr" and method[3] in _GROW
                if method is not None and grows and self._is_one(method[2], names):
                    yield i[3][-1][1]

    def _is_one(self, register: Register, names: set[tuple[str, str]]) -> bool:
        made = self.makers.get(register)
        if made is None or made[0] not in ("attr", "load"):
            return False
        return (made[0], made[3] if made[0] == "attr" else made[2]) in names

    def _is_data(self, register: Register, depth: int) -> bool:
        """`nnx.Linear(...)`, `Block(...)`, `nnx.Param(...)`, `jnp.zeros(...)`, a name of one."""
        made = self.makers.get(register)
        if made is not None and made[:4:3] == ("load", 0):
            stored = self.links.stores(self.function).get(made[2], [])
            made = self.makers.get(stored[0]) if len(stored) == 1 else None
        if made is None or made[0] != "call" or depth > _DEPTH:
            return False
        function = self._called(made)
        if function is not None and function.is_class:
            lineage = self.links.lineage(function) or []
            return any(_is_data_class(name) for _, parts in lineage for name in parts.library)
        if function is not None:
            inner = _Reader(self.links, function)
            returns = [i[2] for i in steps_of(function) if i[0] == "return"]
            given = (one is not None and inner._is_data(one, depth + 1) for one in returns)
            return bool(returns) and all(given)
        name = self.links.dotted(self.function, made[2])
        if name.startswith(_ARRAYS):
            return name.removeprefix(_ARRAYS) not in _OF_TYPES
        return _is_data_class(name)

    def _called(self, call: Instruction) -> Function | None:
        """The function, or the body of the class, of the program that is called."""
        link = self.links.of_register(self.function, call[2])
        known = link is not None and link.kind in ("function", "class")
        return link.function if known and link is not None else None


def _is_data_class(name: str) -> bool:
    """A module or a variable of nnx."""
    if name.startswith(_NNX) and operations_of(name):
        return True
    return name in _DATA or any(map(_is_data_class, CLASSES.get(name, ())))
