"""Calls that give the buffers of their arguments away."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.filling import filled
from gotcha_lint.analysis.roles import donated
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, last_word, target_names, walk
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


# Does a function give back what becomes of an argument? Only then can its buffer be taken

# Functions and methods whose result has the shape of an argument.
_LIKE = frozenset(
    [
        "where",
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "clip",
        "copy",
        "asarray",
        "array",
        "exp",
        "tanh",
        "abs",
        "sqrt",
        "square",
        "negative",
        "map",
        "tree_map",
        "apply_updates",
        "scan",
        "while_loop",
        "fori_loop",
        "pmean",
        "psum",
        "astype",
        "replace",
        "_replace",
        "set",
        "apply_gradients",
        "dynamic_update_slice",
        "dynamic_update_slice_in_dim",
        "merge",
        "update",
        "zeros_like",
        "ones_like",
        "with_sharding_constraint",
        "stop_gradient",
    ]
)


def gives_back(body: Body, call: Call, arg: cst.Arg) -> bool:
    """Told by the call's own targets, or by the body of the function where this file has it."""
    given = dotted(arg.value) or ""
    if given and _renewed(call.at.statement, call.node, given):
        return True
    for path, number in call.callee.targets:
        if path != body.model.path or body.project is None:
            continue
        function = body.model.functions[number].node
        if not isinstance(function, cst.FunctionDef | cst.Lambda):
            continue
        given_to = filled(body.project, (path, number), call.callee, call)
        name = next((each.name for each in given_to if each.node is arg.value), None)
        if name is not None and _keeps_in(function, name):
            return True
    return False


def _renewed(statement: cst.CSTNode, value: cst.CSTNode, given: str) -> bool:
    """`state = step(state)`, `new_state, loss = step(state)`: the target has the name in it."""
    last = given.rpartition(".")[2]
    return any(
        last in last_word(name)
        for node in walk(statement, into_functions=False)
        if isinstance(node, cst.Assign) and any(part is value for part in walk(node.value))
        for target in node.targets
        for name in walk(target.target)
        if isinstance(name, cst.Name | cst.Attribute)
    )


def _keeps_in(function: cst.FunctionDef | cst.Lambda, name: str) -> bool:
    kept = {name}
    if isinstance(function, cst.Lambda):
        return _keeps(function.body, kept)
    for node in walk(function.body, into_functions=False):
        match node:
            case cst.Assign(targets=targets, value=value):
                names = [n.value for target in targets for n in target_names(target.target)]
                if _keeps(value, kept):
                    kept.update(names)
                else:
                    kept.update(_updated(value, names, kept))
            case cst.Return(value=cst.BaseExpression() as value) if _keeps(value, kept):
                return True
    return False


def _updated(value: cst.BaseExpression, names: list[str], kept: set[str]) -> set[str]:
    """`updates, new_state = tx.update(grads, state)`: named after what it was given."""
    if not isinstance(value, cst.Call):
        return set()
    given = {dotted(arg.value) for arg in value.args} & kept
    return {name for name in names if any(one and one in name for one in given)}


def _keeps(node: cst.CSTNode, kept: set[str]) -> bool:
    """The value has the shape of one of these names, or holds one that has."""
    match node:
        case cst.Name(value=name):
            return name in kept
        case cst.Attribute(value=inner) | cst.Subscript(value=inner):
            return _keeps(inner, kept)
        case cst.UnaryOperation(expression=inner):
            return _keeps(inner, kept)
        case cst.BinaryOperation(left=left, right=right):
            return _keeps(left, kept) or _keeps(right, kept)
        case cst.IfExp(body=body, orelse=orelse):
            return _keeps(body, kept) or _keeps(orelse, kept)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return any(_keeps(element.value, kept) for element in elements)
        case cst.Dict(elements=elements):
            return any(_keeps(element.value, kept) for element in elements)
        case cst.Call(func=func, args=args):
            last = last_word(func)
            if isinstance(func, cst.Attribute) and last in _LIKE and _keeps(func.value, kept):
                return True
            return (last in _LIKE or last[:1].isupper()) and any(
                _keeps(arg.value, kept) for arg in args
            )
    return False
