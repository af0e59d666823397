"""What a file differentiates (floor `patterns`; must, as far as its names go)."""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function
from gotcha_lint.program.links import Links

_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))


def differentiated(links: Links, bodies: Iterable[Function]) -> set[Function]:
    """The functions that `jax.grad` is given, and what they call."""
    found: set[Function] = set()
    todo = [
        link.function
        for body in bodies
        for i in steps_of(body)
        if i[0] == "call" and i[3] and links.word(body, i[2]) in _GRADIENTS
        if (link := links.of_register(body, i[3][0][1])) is not None
    ]
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found.add(one)
        for i in steps_of(one):
            link = links.of_register(one, i[2]) if i[0] == "call" else None
            if link is not None and link.kind == "function":
                todo.append(link.function)
    return found
