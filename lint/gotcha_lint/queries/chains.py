"""The parts of `optax.chain`, in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Value

CHAIN, NAMED = "optax.chain", "optax.named_chain"


class Part(NamedTuple):
    node: cst.CSTNode
    made: frozenset[str]  # the functions of optax that it is made of; empty: not known


def parts(site: Call) -> list[Part]:
    """Of `chain(a, b)`, of `chain(*parts)` with a list that is written out, and of named chains."""
    nodes = [arg.value for arg in site.node.args]
    if site.name == NAMED:
        return list(_named(site))
    if not site.starred:
        return [Part(n, _made(v)) for n, v in zip(nodes, site.args, strict=False)]
    flowing, name = Flowing(site.body), nodes[0]
    if len(nodes) != 1 or not isinstance(name, cst.Name):
        return []
    row = flowing.resolve(name)
    if not isinstance(row, cst.List | cst.Tuple) or len(flowing.loads[name.value]) != 2:
        return []  # it may get more parts, somewhere
    calls = [site.body.call_of(element.value) for element in row.elements]
    return [Part(c.node, _made(c.result)) for c in calls if c is not None]


def _named(site: Call) -> Iterator[Part]:
    """`named_chain(("clip", optax.clip(1.0)), ("sgd", optax.sgd(0.1)))`."""
    for arg, value in zip(site.node.args, site.args, strict=False):
        if isinstance(arg.value, cst.Tuple) and len(value.items) == len(arg.value.elements) == 2:
            yield Part(arg.value.elements[1].value, _made(value.items[1]))


def _made(part: Value) -> frozenset[str]:
    known = isinstance(part.literal, frozenset) and not part.maybe
    return part.literal if known else frozenset()
