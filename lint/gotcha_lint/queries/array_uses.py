"""Does a function of the project use an argument as an array, which a tuple is not?"""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, parents, walk

OF_ARRAYS = frozenset(
    [
        "shape",
        "ndim",
        "dtype",
        "mean",
        "sum",
        "reshape",
        "astype",
        "at",
        "max",
        "min",
        "argmax",
        "squeeze",
        "T",
    ]
)
# Parameters of these names are arrays, wherever the function stands.
_NAMES = frozenset(
    {"logits", "log_probs", "probs", "pred", "preds", "predictions", "y_pred", "y_hat"}
)
_MODULES = ("jnp.", "jax.numpy.", "jax.nn.", "optax.")


def wants_array(body: Body, call: Call, arg: cst.Arg) -> bool:
    """The argument is given to a project's function that takes an array there."""
    filled = filled_by(call, arg.value)
    if body.project is None or filled is None:
        return False
    (path, number), name = filled
    function = body.project.function((path, number))
    if name in _NAMES or (name in function.arrays and path != body.model.path):
        return True
    return path == body.model.path and _is_array(body.model.functions[number], name)


def _is_array(function: Function, name: str) -> bool:
    """Its first use fails on a tuple."""
    if not name or asks_its_type(function.node, name):
        return False
    above = parents(function.node)
    own = {id(param.node) for param in function.params}
    for node in walk(function.node):
        if isinstance(node, cst.Name) and node.value == name and id(above.get(id(node))) not in own:
            return _array_use(node, above)
    return False


def _array_use(node: cst.CSTNode, above: dict[int, cst.CSTNode]) -> bool:
    match outer := above.get(id(node)):
        case cst.Attribute(value=value, attr=cst.Name(value=attr)):
            return value is node and attr in OF_ARRAYS
        case cst.BinaryOperation(operator=cst.Subtract() | cst.Divide()):
            return True
        case cst.Arg():
            call = above.get(id(outer))
            if not isinstance(call, cst.Call) or call.args[0] is not outer:
                return False
            return (dotted(call.func) or "").startswith(_MODULES)
    return False


def asks_its_type(root: cst.CSTNode, name: str) -> bool:
    """It may be a tuple or not: `isinstance(y, tuple)`; or the name gets another value."""
    for node in walk(root):
        match node:
            case cst.Call(func=cst.Name(value="isinstance"), args=[cst.Arg(value=first), *_]):
                if dotted(first) == name:
                    return True
            case cst.NamedExpr(target=target) | cst.AugAssign(target=target):
                if dotted(target) == name:
                    return True
    return False
