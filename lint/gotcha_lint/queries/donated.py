"""Calls that give the buffers of their arguments away."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.roles import donated
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import Kind, Via

# What can be asked of an array whose buffer is gone.
_METADATA = frozenset(
    [
        "shape",
        "ndim",
        "dtype",
        "size",
        "nbytes",
        "itemsize",
        "sharding",
        "aval",
        "weak_type",
        "is_deleted",
        "delete",
        "committed",
        "keys",
    ]
)
# Calls that look at shapes and types, or ask whether the buffer is there.
_LOOKS = ("lower", "trace", "eval_shape", "typeof", "like", "structure", "deleted")
_HARMLESS = frozenset({"builtins.type", "builtins.id", "builtins.isinstance", "builtins.len"})
_BUFFERS = frozenset({Kind.ARRAY, Kind.TREE, Kind.KEY, Kind.OBJECT, Kind.UNKNOWN})


def donating(call: Call | None) -> Via | None:
    """The compiled function's own word on what it takes; nnx.jit puts its modules' arrays back."""
    if call is None or len(call.callee.targets) > 1:
        return None  # one of several functions, of which only some may donate
    vias = [v for v in call.callee.via if v.donate_nums or v.donate_names]
    via = vias[-1] if vias else None
    return via if via is not None and via.known and not via.name.startswith("nnx.") else None


def donated_names(call: Call, via: Via) -> list[tuple[str, cst.Arg]]:
    """The names given at donated positions."""
    project = call.body.project
    return list(donated(project, call.node, call.callee, via)) if project is not None else []


def is_buffer(call: Call, arg: cst.Arg) -> bool:
    """Not a number or a numpy array, which are copied to the device and keep their own memory."""
    if arg.keyword is not None:
        value = call.kwargs.get(arg.keyword.value)
    else:
        position = next(n for n, other in enumerate(call.node.args) if other is arg)
        value = call.args[position] if position < len(call.args) else None
    if value is not None and value.kind in (Kind.LIST, Kind.TUPLE) and dotted(arg.value) is None:
        value = value.items[0] if len(value.items) == 1 else None  # `{"params": params}`
    return value is not None and value.kind in _BUFFERS


def needs_the_buffer(node: cst.CSTNode, body: Body, above: dict[int, cst.CSTNode]) -> bool:
    """`x.shape` and `x.is_deleted()` can still be asked, and `x.at` of a module says nothing."""
    outer = above.get(id(node))
    while isinstance(outer, cst.Attribute | cst.Subscript) and outer.value is node:
        if isinstance(outer, cst.Attribute) and outer.attr.value in _METADATA:
            return False
        node, outer = outer, above.get(id(outer))
    if isinstance(outer, cst.Arg):
        call = above.get(id(outer))
        return not isinstance(call, cst.Call) or not _only_looks(body, call)
    if isinstance(outer, cst.ComparisonTarget | cst.Comparison):
        return not _is_identity(outer if isinstance(outer, cst.Comparison) else above[id(outer)])
    return not isinstance(outer, cst.Del)


def _only_looks(body: Body, node: cst.Call) -> bool:
    """`f.lower(x)`, `self.assertDeleted(x)`, `jax.tree.map(lambda leaf: leaf.delete(), x)`."""
    call = body.call_of(node)
    if call is not None and call.name in _HARMLESS:
        return True
    first = node.args[0].value
    if isinstance(first, cst.Lambda) and isinstance(first.body, cst.Call):
        func = first.body.func
        return isinstance(func, cst.Attribute) and func.attr.value in _METADATA
    last = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    return isinstance(last, cst.Name) and last.value.lower().endswith(_LOOKS)


def _is_identity(node: cst.CSTNode) -> bool:
    return any(isinstance(part, cst.Is | cst.IsNot) for part in walk(node))
