"""Where a gradient ends: is there one way from a result back to what it is differentiated by?

A function that lets none through tells it to those that call it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.bound import inner_parameters, is_imported, made
from gotcha_lint.analysis.flowing import STATIC_ATTRIBUTES
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.returning import returned
from gotcha_lint.analysis.sites import Body, Call, Operate
from gotcha_lint.analysis.syntax import FUNCTIONS, children, literal
from gotcha_lint.analysis.values import FLAT, FunctionId, Kind
from gotcha_lint.facts.slopes import CASTS, DRAWS, METHODS, STEPS, WHOLE, WHOLE_OF

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

# The same function, of one or many, compiled or not.
_SAME_SLOPE = frozenset({"jit", "nnx.jit", "pmap", "vmap", "checkpoint", "inline"})
_NO_SLOPE = DRAWS | {"jax.numpy.zeros_like", "jax.numpy.ones_like"}


def note_flat(flow: Flow) -> None:
    """Tells that no gradient comes through it, whatever it is given."""
    function = flow.function
    wrt = {param.name for param in function.params} | set(_from_around(function))
    slopes = Slopes(flow.body, wrt, lambda fid: flow.view.get(("flat", fid)) is not None)
    if slopes.may_end() and slopes.ends(returned(function)):
        flow.effect(("flat", flow.id), True)


class Slopes:
    """The ways to one function's parameters; what is not understood lets a gradient through."""

    def __init__(self, body: Body, wrt: set[str], flat: Callable[[FunctionId], bool]) -> None:
        self.body, self.wrt, self.flat = body, wrt, flat

    def may_end(self) -> bool:
        """It has one operation in which a way ends."""
        compares = any(isinstance(site.node, cst.Comparison) for site in self.body.of(Operate))
        return compares or any(map(self._ends_at, (call.node for call in self.body.of(Call))))

    def ends(self, values: Iterable[cst.CSTNode]) -> list[cst.CSTNode]:
        """The operations in which every way to the parameters ends; none if one does not."""
        found: list[cst.CSTNode] = []
        seen: set[str] = set()
        stack = list(values)
        while stack:
            node = stack.pop()
            if type(node) is cst.Name:
                if node.value in self.wrt or self._unknown(node.value):
                    return []
                if node.value not in seen:
                    seen.add(node.value)
                    stack.extend(made(self.body.function).get(node.value, ()))
            elif self._ends_at(node):
                found += [node] if self.wrt & self.read(node) else []
            else:
                stack.extend(_parts(node))
        return found

    def read(self, node: cst.CSTNode) -> set[str]:
        """All names that a value is made of."""
        found: set[str] = set()
        stack = [node]
        while stack:
            node = stack.pop()
            if type(node) is cst.Name and node.value not in found:
                found.add(node.value)
                stack.extend(made(self.body.function).get(node.value, ()))
            stack.extend(_parts(node))
        return found

    def _unknown(self, name: str) -> bool:
        """A name that was bound in a way that is not followed."""
        function = self.body.function
        if name in inner_parameters(function):
            return True
        bound = function.scope.bound.get(name, ())
        own = function.has_parameter(name)
        return (
            bool(bound)
            and not own
            and name not in made(function)
            and not is_imported(function, name)
        )

    def _ends_at(self, node: cst.CSTNode) -> bool:
        if node.__class__ is cst.Comparison:
            return True
        call = self.body.call_of(node)
        return call is not None and (_is_flat(call) or self._told(call))

    def _told(self, call: Call) -> bool:
        """A function of the project through which no gradient comes, as it was defined.

        One that is given may be another one for callers that are not seen.
        """
        callee = call.callee
        if _is_given(call.node.func, self.body.function):
            return False
        known = callee.kind is Kind.FUNCTION and callee.targets and not callee.maybe
        plain = {via.name for via in callee.via} <= _SAME_SLOPE
        return bool(known) and plain and all(map(self.flat, callee.targets))


def _is_given(func: cst.CSTNode, function: Function | None) -> bool:
    """It is called by the name of a parameter, of this function or of one around it."""
    name = func.value if isinstance(func, cst.Name) else ""
    while function is not None and name not in function.scope.bound:
        function = function.parent
    return function is not None and function.has_parameter(name)


def _is_flat(call: Call) -> bool:
    """An operation without a slope."""
    owner, _, word = call.name.rpartition(".")
    of_jax = owner == "jax" or owner.startswith("jax.")
    if (of_jax and word in STEPS) or call.name in _NO_SLOPE or call.result.of == FLAT:
        return True
    if word in METHODS and (owner == "array" or (owner == "?" and _has_settings_only(call))):
        return True
    place = CASTS.get(call.name)
    if place is None:
        return of_jax and _whole(call.name)
    given = call.arg(*place)
    if given is not None and given.kind is Kind.NAMED:
        return _whole(given.of)
    return literal(call.arg_node(*place)) in WHOLE


def _has_settings_only(call: Call) -> bool:
    """`logits.argmax(-1)`, and not `quantiser.round(x)`."""
    return all(value.literal is not None for value in call.args)


def _whole(name: str) -> bool:
    """`jnp.int32`, `int`, `bool`: types of numbers without a gradient."""
    owner, _, word = name.rpartition(".")
    return owner in WHOLE_OF and word in WHOLE


def _parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What a gradient may come from."""
    kind = node.__class__
    if kind is cst.Arg:
        return [node.value]  # type: ignore[attr-defined]
    if kind is cst.Attribute:
        static = node.attr.value in STATIC_ATTRIBUTES  # type: ignore[attr-defined]
        return [] if static else [node.value]  # type: ignore[attr-defined]
    if kind in FUNCTIONS:
        return [node.body]  # type: ignore[attr-defined]
    return children(node)


def _from_around(function: Function) -> Iterator[str]:
    """The names that it takes from functions around it."""
    scope = function.scope.parent
    while scope is not None and scope.kind != "module":
        yield from function.captured.keys() & scope.bound.keys()
        scope = scope.parent
