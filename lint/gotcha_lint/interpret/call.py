"""A call of something outside the program, as a model sees it; and the tables of models.

A model is a function `(call) -> Value` in a file of `models/`. It is found by the full name of what
is called (`@model`), by the longest prefix of it (`@family`), or, for methods, by the kind of the
receiver (`@methods`). What no model knows returns "something unknown".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import UNKNOWN, Atom, Marks, Value, all_marks

if TYPE_CHECKING:
    from gotcha_lint.interpret.machine import Machine


@record
class Call:
    """A call: `name` is the full name, or that of the method; `args` and `keywords` are values.

    `receiver` and `on` are the object of a method: the whole value, and the alternative at hand.
    A positional star argument of unknown length is in `keywords["*"]`: its element.
    """

    engine: Machine
    name: str
    args: tuple[Value, ...]
    keywords: dict[str, Value]
    span: Span
    receiver: Value = UNKNOWN
    on: Atom | None = None

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def origin(self) -> Origin:
        return self.engine.path, self.span

    @property
    def marks(self) -> Marks:
        """What any of the arguments varies with."""
        return all_marks((*self.args, *self.keywords.values()))

    def get(self, index: int, name: str) -> Value | None:
        """An argument by position or by name; None where it is not given."""
        if index < len(self.args):
            return self.args[index]
        return self.keywords.get(name, self.keywords.get("*"))

    def argument(self, index: int, name: str) -> Value:
        """The same, unknown where it is not given."""
        value = self.get(index, name)
        return UNKNOWN if value is None else value

    def keyword(self, name: str) -> Value | None:
        return self.keywords.get(name)

    def renamed(self, name: str) -> Call:
        return replace(self, name=name)


Model = Callable[[Call], Value]

CALLS: dict[str, Model] = {}
FAMILIES: dict[str, Model] = {}
METHODS: dict[str, Model] = {}
ALIASES: dict[str, str] = {}


def model(*names: str) -> Callable[[Model], Model]:
    """Registers the model of these functions, by their full names."""

    def register(function: Model) -> Model:
        for name in names:
            CALLS[name] = function
        return function

    return register


def family(*prefixes: str) -> Callable[[Model], Model]:
    """Registers the model of all functions whose full name begins so (`numpy.random.`)."""

    def register(function: Model) -> Model:
        for prefix in prefixes:
            FAMILIES[prefix] = function
        return function

    return register


def methods(*kinds: str) -> Callable[[Model], Model]:
    """Registers the model of the methods of a kind of object (`array`, `list`, a site's kind)."""

    def register(function: Model) -> Model:
        for kind in kinds:
            METHODS[kind] = function
        return function

    return register


def alias(names: dict[str, str]) -> None:
    """Other names of what has a model."""
    ALIASES.update(names)


def canonical(name: str) -> str:
    """The name by which a library's object is known here."""
    if name.startswith("jax._src."):
        name = "jax." + name[len("jax._src.") :]
    return ALIASES.get(name, name)


def find(name: str) -> Model | None:
    known = CALLS.get(name)
    if known is not None:
        return known
    prefix = name
    while prefix:
        prefix = prefix.rpartition(".")[0]
        known = FAMILIES.get(prefix + ".")
        if known is not None:
            return known
    return None
