"""The parts of an `optax.chain`, in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Value
from gotcha_lint.facts.optax import PRECONDITIONERS, WHOLE_OPTIMIZERS

CHAINS = frozenset({"optax.chain", "optax.named_chain"})
_MASKED = "optax.masked"  # some of the parameters, by the same rule


class Part(NamedTuple):
    """One transform: where it stands, the functions of optax that it is made of, its call."""

    node: cst.CSTNode
    made: frozenset[str]
    call: Call | None  # where it is seen to be made


def made_of(value: Value) -> frozenset[str]:
    """The functions of optax that an optimizer is made of; none where that is not sure."""
    known = isinstance(value.literal, frozenset) and not value.maybe
    return value.literal if known else frozenset()


def chained(chain: Call) -> list[Part]:
    """The parts of a chain, those of chains in it as well; a starred row as far as it is known."""
    return [part for node in _nodes(chain) for part in _parts(chain, node)]


def _nodes(chain: Call) -> Iterator[cst.CSTNode]:
    for arg in chain.node.args:
        node = arg.value
        if arg.star == "*":
            yield from _row(chain, node)
        elif chain.name == "optax.named_chain" and isinstance(node, cst.Tuple):
            yield node.elements[-1].value
        else:
            yield node


def _row(chain: Call, node: cst.CSTNode) -> list[cst.CSTNode]:
    """The elements of a list that nothing else touches."""
    flowing = Flowing(chain.body, chain.at)
    row = flowing.resolve(node)
    alone = isinstance(node, cst.Name) and len(flowing.loads.get(node.value, ())) == 2
    if isinstance(row, cst.List | cst.Tuple) and (alone or row is node):
        return [element.value for element in row.elements]
    return [node]


def _parts(chain: Call, node: cst.CSTNode) -> Iterator[Part]:
    call = chain.body.call_of(Flowing(chain.body, chain.at).resolve(node))
    inner = call.arg_node(0, "inner") if call is not None and call.name == _MASKED else None
    if call is not None and call.name in CHAINS:
        yield from (Part(node, part.made, part.call) for part in chained(call))
    elif inner is not None:
        yield from (Part(node, part.made, part.call) for part in _parts(chain, inner))
    else:
        yield Part(node, made_of(_value(chain, node, call)), call)


def _value(chain: Call, node: cst.CSTNode, call: Call | None) -> Value:
    for arg, value in zip(chain.node.args, () if chain.starred else chain.args, strict=False):
        if arg.value is node:
            return value
    return call.result if call is not None else Value()


def decays(part: Part) -> bool:
    """It adds weights to the gradients, and is no optimizer that does so in its right place."""
    whole = part.made & (WHOLE_OPTIMIZERS | PRECONDITIONERS)
    return "optax.add_decayed_weights" in part.made and not whole
