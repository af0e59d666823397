"""A machine for tests of containers and arithmetic, and what a concrete value is abstractly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.value import (
    BOTTOM,
    Constant,
    Library,
    Method,
    Number,
    Object,
    Tuple,
    Value,
    constant,
    join,
    only,
)
from gotcha_lint.domain.value import Sequence as AnyNumber
from gotcha_lint.interpret.call import METHODS, Call, find
from gotcha_lint.interpret.containers import building
from gotcha_lint.interpret.containers.items import item
from gotcha_lint.interpret.heap import contents_of, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models import builtins, standard, types
from gotcha_lint.interpret.models import containers as container_methods
from gotcha_lint.interpret.models import numbers as number_functions
from gotcha_lint.program.modules import ModuleIndex

SPAN = (1, 1, 1, 2)
MODELS = (builtins, number_functions, standard, types, container_methods)  # they register on import
Numbers = Mapping[Any, int]
NO_NUMBERS: Numbers = {}


class FakeMachine(Machine):
    """Calls the models; a function of the program is a Python function on values."""

    def __init__(self) -> None:
        super().__init__({}, ModuleIndex(()))
        self.spans = 0

    def span(self) -> tuple[int, int, int, int]:
        """Another place in the program at each call, so that objects are told apart."""
        self.spans += 1
        return self.spans, 1, self.spans, 2

    def attribute(self, value: Value, name: str, span: Any) -> Value:
        return only(Method(value, name))

    def item(self, value: Value, key: Value, span: Any) -> Value:
        return item(self, value, key, span)

    def call(
        self, callee: Value, args: Sequence[Value], keywords: dict[str, Value], span: Any
    ) -> Value:
        atom = callee.only
        if isinstance(atom, Library):
            model = find(atom.name)
            assert model is not None, atom.name
            return model(Call(self, atom.name, tuple(args), keywords, span))
        assert isinstance(atom, Object)
        return atom.site.info["python"](*args, **keywords)

    def function(self, python: Callable[..., Value]) -> Value:
        site = self.allocate("function", self.span())
        site.info["python"] = python
        return only(Object(site))

    def builtin(self, name: str, *args: Value, **keywords: Value) -> Value:
        full = name if "." in name else f"builtins.{name}"
        return self.call(only(Library(full)), args, keywords, self.span())

    def method(self, receiver: Value, name: str, *args: Value, **keywords: Value) -> Value:
        out = BOTTOM
        for atom in receiver.atoms:
            kind = atom.site.kind if isinstance(atom, Object) else "tuple"
            kind = atom.type if isinstance(atom, (Constant, Number)) else kind
            call = Call(self, name, args, keywords, self.span(), receiver, atom)
            out = join(out, METHODS.get(kind, METHODS["number"])(call))
        return out

    def abstract(self, concrete: Any) -> Value:
        """The exact abstract value of a concrete one."""
        if isinstance(concrete, tuple):
            return only(Tuple(tuple(map(self.abstract, concrete))))
        if isinstance(concrete, (list, set)):
            kind = type(concrete).__name__
            items = [(False, self.abstract(x)) for x in concrete]
            return building.build(self, kind, items, self.span())
        if isinstance(concrete, dict):
            pairs = [(self.abstract(k), self.abstract(v)) for k, v in concrete.items()]
            return building.build_dict(self, pairs, self.span())
        return constant(concrete)


def contains(machine: Machine, value: Value, concrete: Any, numbers: Numbers = NO_NUMBERS) -> bool:
    """Does the abstract value allow for the concrete one, where symbols have these numbers?"""
    return value.unknown or any(
        _atom_contains(machine, atom, concrete, numbers) for atom in value.atoms
    )


def _atom_contains(machine: Machine, atom: Any, concrete: Any, numbers: Numbers) -> bool:
    if isinstance(atom, Constant):
        same = type(concrete).__name__ == atom.type
        return same and (atom.value == concrete or concrete != concrete)
    if isinstance(atom, Number):
        if type(concrete).__name__ != atom.type:
            return False
        if atom.type not in ("int", "float", "bool") or concrete != concrete:
            return True
        inside = atom.low <= concrete <= atom.high
        return inside and (atom.affine is None or _agrees(atom.affine, concrete, numbers))
    mapping = mapping_of(machine, atom)
    if mapping is not None:
        return isinstance(concrete, dict) and all(
            contains(machine, item(machine, only(atom), constant(k), SPAN), v, numbers)
            for k, v in concrete.items()
        )
    content = contents_of(machine, atom)
    if content is None or not isinstance(concrete, (tuple, list, set)):
        return False
    inner = list(concrete)
    if isinstance(content, AnyNumber):
        fits = content.size.low <= len(inner) <= content.size.high
        return fits and all(contains(machine, content.element, x, numbers) for x in inner)
    if len(inner) != len(content.items):
        return False
    return all(contains(machine, v, x, numbers) for v, x in zip(content.items, inner, strict=True))


def _agrees(form: Affine, concrete: float, numbers: Numbers) -> bool:
    """Is it that number? What depends on a symbol without a number may be."""
    try:
        evaluate(form, numbers)
    except KeyError:
        return True
    return math.isclose(evaluate(form, numbers), concrete, rel_tol=1e-9)


def evaluate(form: Affine, numbers: Numbers) -> float:
    """The number that a sum of symbols is."""
    return form[1] + sum(factor * _number(name, numbers) for name, factor in form[0])


def _number(name: Any, numbers: Numbers) -> float:
    if name in numbers:
        return numbers[name]
    if not isinstance(name, tuple) or name[0] not in ("*", "/", "//", "min", "max"):
        raise KeyError(name)
    what, *forms = name
    parts = [evaluate(form, numbers) for form in forms]
    if what in ("min", "max"):
        return min(parts) if what == "min" else max(parts)
    a, b = parts
    return a // b if what == "//" else a / b if what == "/" else a * b
