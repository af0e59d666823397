"""Does a function give back what becomes of an argument? Only then can its buffer be taken.

A donated buffer is used for a result of the same shape and type. Where there is none, as for the
batch that an evaluation is given, JAX warns and leaves the array as it is.
"""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.filling import filled
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, last_word, target_names, walk

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
