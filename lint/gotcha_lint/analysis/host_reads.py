"""Functions that certainly read a parameter on the host: who calls them waits for it there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.flowing import STATIC_ATTRIBUTES
from gotcha_lint.analysis.roles import pairs
from gotcha_lint.analysis.syntax import children, walk
from gotcha_lint.analysis.values import FunctionId, Kwargs, Value
from gotcha_lint.facts.concrete import CASTS

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_READS = CASTS | {"jax.device_get", "numpy.asarray", "numpy.array", "builtins.print"}
_METHODS = (".item", ".tolist", ".block_until_ready")


def note_read(flow: Flow, node: cst.Call, name: str) -> None:
    """`float(metrics["loss"])`, of a parameter, whatever else happens."""
    if name not in _READS and not name.endswith(_METHODS):
        return
    if flow.guards or flow.loops or flow.body.trace is not None or flow.state is None:
        return
    held = flow.state.env
    read = frozenset(n for n in _values_in(node) if n in held and held[n].param == n)
    if read and not _leaves_early(flow):
        flow.effect(("reads", flow.id), read)


def _values_in(call: cst.Call) -> Iterator[str]:
    """The names whose values are asked for: not of `x.shape`, `len(x)` or `key=`."""
    stack: list[cst.CSTNode] = [arg.value for arg in call.args]
    if isinstance(call.func, cst.Attribute):
        stack.append(call.func.value)
    while stack:
        match stack.pop():
            case cst.Name(value=name):
                yield name
            case cst.Attribute(value=value, attr=attr):
                stack.extend(() if attr.value in STATIC_ATTRIBUTES else (value,))
            case cst.Call(func=cst.Name(value="len" | "type")):
                continue
            case cst.Arg(value=value):
                stack.append(value)
            case other:
                stack.extend(children(other))


def note_reads_of(
    flow: Flow, target: FunctionId, function: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> None:
    """A call of a function that reads what it is given."""
    read = flow.view.get(("reads", target))
    if not read or flow.guards or flow.loops or flow.body.trace is not None or function.via:
        return
    given = pairs(flow, target, function, args, kwargs)
    own = frozenset(value.param for name, value in given if name in read and value.param)
    if own and not _leaves_early(flow):
        flow.effect(("reads", flow.id), own)


def _leaves_early(flow: Flow) -> bool:
    """`if step % 100: return`: what stands below does not always run."""
    node = flow.function.node
    if not isinstance(node, cst.FunctionDef) or not isinstance(node.body, cst.IndentedBlock):
        return False
    nested = (s for s in node.body.body if not isinstance(s, cst.SimpleStatementLine))
    return any(
        isinstance(part, cst.Return | cst.Raise)
        for statement in nested
        for part in walk(statement, into_functions=False)
    )
