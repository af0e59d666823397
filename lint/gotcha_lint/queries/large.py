"""How large an array is, as far as the expression that makes it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported, Scope
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, evaluated, walk

LARGE = 250_000  # elements: 1 MB of float32, from which on a run reports it too
LOADED = frozenset(
    [
        "numpy.load",
        "numpy.loadtxt",
        "numpy.genfromtxt",
        "numpy.fromfile",
        "numpy.memmap",
        "jax.numpy.load",
        "scipy.io.loadmat",
    ]
)
# Where the shape stands among the arguments: of numpy and of its generators, of jax.random.
_NUMPY = {
    "zeros": 0,
    "ones": 0,
    "full": 0,
    "empty": 0,
    "normal": 2,
    "uniform": 2,
    "randint": 2,
    "integers": 2,
    "random": 0,
    "standard_normal": 0,
}
_JAX_RANDOM = {"normal": 1, "uniform": 1, "randint": 1, "truncated_normal": 3}
_GENERATORS = ("default_rng", "RandomState")
_SAME = frozenset({"asarray", "array", "device_put", "copy", "float32", "ascontiguousarray"})
_METHODS = frozenset({"astype", "copy", "block_until_ready"})
_DEPTH = 4


def why_large(function: Function, node: cst.CSTNode | None, depth: int = _DEPTH) -> str:
    """`262,144 elements`, `from numpy.load`, or nothing, of an expression in a function."""
    if depth == 0 or not isinstance(node, cst.Call):
        return ""
    func = node.func
    if isinstance(func, cst.Attribute) and func.attr.value in _METHODS:
        return why_large(function, func.value, depth - 1)
    name = _full_name(function.scope, func)
    last = name.rpartition(".")[2]
    if name in LOADED:
        return f"from `{name}`"
    if name and last in _SAME:
        return why_large(function, node.args[0].value, depth - 1) if node.args else ""
    position = _shape_at(function, func, name)
    count = _product(function, _shape(node.args, position), depth) if position is not None else 0
    return f"{count:,} elements" if count >= LARGE else ""


def assigned(function: Function, name: str) -> cst.BaseExpression | None:
    """What a name of a function or of the module is set to, where it is set once."""
    bound = function.scope.bound.get(name, ())
    if len(bound) != 1 or bound[0].__class__ is not str:
        return None
    for part in _statements(function):
        if isinstance(part, cst.Assign) and any(dotted(t.target) == name for t in part.targets):
            return part.value
        if isinstance(part, cst.AnnAssign) and dotted(part.target) == name:
            return part.value
    return None


def _statements(function: Function) -> Iterator[cst.CSTNode]:
    """Of the module only what stands at its top: it is asked for often."""
    if not isinstance(function.node, cst.Module):
        yield from walk(function.node, into_functions=False)
        return
    for line in function.node.body:
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body


def _full_name(scope: Scope, func: cst.CSTNode) -> str:
    """`numpy.zeros` for `np.zeros`; nothing where it is no library's."""
    head, dot, tail = (dotted(func) or "").partition(".")
    for how in lookup(scope, head) or ():
        if isinstance(how, Imported) and how.startswith(("numpy", "jax", "scipy")):
            return f"{how}{dot}{tail}"
    return ""


def _shape_at(function: Function, func: cst.CSTNode, name: str) -> int | None:
    head, _, last = name.rpartition(".")
    if head == "jax.random":
        return _JAX_RANDOM.get(last)
    if head in ("numpy", "jax.numpy", "numpy.random"):
        return _NUMPY.get(last)
    if isinstance(func, cst.Attribute) and _is_generator(function, func.value):
        return _NUMPY.get(func.attr.value)
    return None


def _is_generator(function: Function, node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Name):
        made = assigned(function, node.value)
        return made is not None and isinstance(made, cst.Call) and _is_generator(function, made)
    name = _full_name(function.scope, node.func) if isinstance(node, cst.Call) else ""
    return name.endswith(_GENERATORS)


def _shape(args: Sequence[cst.Arg], position: int) -> cst.BaseExpression | None:
    for arg in args:
        if arg.keyword is not None and arg.keyword.value in ("shape", "size"):
            return arg.value
    plain = [arg.value for arg in args if arg.keyword is None]
    return plain[position] if position < len(plain) else None


def _product(function: Function, node: cst.CSTNode | None, depth: int) -> int:
    """The number of elements; 0 where a size is not known."""
    match node:
        case cst.Integer():
            return evaluated(node.value)
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return prod(_product(function, element.value, depth) for element in elements)
        case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
            return _product(function, left, depth) * _product(function, right, depth)
        case cst.Name(value=name) if depth:
            scope = function.scope.owner(name)
            if scope is None:
                return 0
            return _product(scope.function, assigned(scope.function, name), depth - 1)
    return 0
