"""Sizes and shapes that change from step to step: where the mark comes from, and what clears it.

The marks: "own-maximum" (a batch's own longest item), "loop-variable" (a number that counts turns,
or an array cut by it), "range-step" (a number that goes in steps of a batch, or an array cut by it,
whose last piece may be short), "range-rest" (the same in a generator that goes on to the end of
the data), "loader-rest" (a batch of a loader that does not leave out the last, smaller one),
"selection" (the rows of an array that pass a test), "random" (a
number that is drawn), "grown:NAME" (a list that a loop appends to, its length, what is made of it).
"param:NAME" is a size that a function is given: its caller knows what that is. Such a mark may be
followed by another, "param:size|range-step", that holds if the size is steady. "called": what a
parameter is given differs from call to call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import libcst as cst

from gotcha_lint.analysis.syntax import dotted, names_in
from gotcha_lint.analysis.values import Kind, Value

# Functions whose result has the shape that numbers among their arguments give: at which positions.
_SHAPED: dict[str, tuple[int, ...]] = {
    "zeros": (0,), "ones": (0,), "empty": (0,), "full": (0,), "arange": (0, 1, 2), "eye": (0, 1),
    "identity": (0,), "linspace": (2,), "tile": (1,), "repeat": (1,), "broadcast_to": (1,),
    "reshape": (1,), "resize": (1,), "iota": (1,), "broadcasted_iota": (1,), "uniform": (1,),
    "normal": (1,), "randint": (1,), "bernoulli": (2,), "gumbel": (1,),
}  # fmt: skip
_SIZES = frozenset({"shape", "size", "num", "repeats", "reps", "N"})
_REDUCTIONS = frozenset([
    "sum", "mean", "max", "min", "prod", "std", "var", "any", "all", "argmax", "argmin", "dot",
    "vdot", "median", "norm", "size", "ndim", "item", "logsumexp", "count_nonzero", "average",
])  # fmt: skip
_ROUNDING = (cst.FloorDivide, cst.Modulo, cst.Power, cst.LeftShift, cst.RightShift, cst.BitAnd)
_ARRAYS = frozenset({Kind.ARRAY, Kind.HOST})
_SIZED = frozenset({Kind.STATIC, Kind.TUPLE})
_STEPS = frozenset({"range-step", "range-rest"})
PARAM, GROWN, CALLED = "param:", "grown:", "called"
LOADED = "loader-rest"
RESTS = frozenset({"range-rest", LOADED})  # fewer examples, whatever shape they are given


def held(value: Value) -> str:
    """The mark of a value, or of what it holds."""
    if value.varying and value.kind not in _SIZED:
        return value.varying
    return strongest(map(held, value.items)) if value.items else ""


def shown(value: Value) -> str:
    """The mark as far as this function knows it by itself."""
    mark = held(value)
    return mark.partition("|")[2] if mark.startswith(PARAM) else mark


def strongest(marks: Iterable[str]) -> str:
    """A mark that is known here, rather than one that only the caller knows."""
    first = ""
    for mark in marks:
        if mark and not mark.startswith(PARAM):
            return mark
        first = first or mark
    return first


def resolved(value: Value, given: Mapping[str, Value]) -> Value:
    """A function's result where its shape, or number, follows what the function was given."""
    items = value.items
    if items:
        items = tuple(resolved(item, given) for item in items)
    return _marked(value, _resolved(value.varying, given), items)


def _resolved(mark: str, given: Mapping[str, Value]) -> str:
    if mark.startswith(PARAM):
        name, _, rest = mark.removeprefix(PARAM).partition("|")
        rest = "" if rest == CALLED else rest
        own = given[name].varying if name in given else ""
        return f"{own}|{rest}" if own.startswith(PARAM) and rest and "|" not in own else own or rest
    return "" if mark == CALLED else mark


def _marked(value: Value, mark: str, items: tuple[Value, ...]) -> Value:
    """The value with this mark; the same object if nothing is new."""
    if mark == value.varying and items is value.items:
        return value
    return value._replace(varying=mark, items=items)


def remarked(value: Value, mark: str) -> Value:
    """The value with this mark wherever it has one."""
    items = tuple(remarked(item, mark) for item in value.items)
    return value._replace(varying=mark if value.varying else "", items=items)


def without(value: Value, *kinds: str) -> Value:
    """Without marks that mean something within one function only."""
    items = value.items
    if items:
        items = tuple(without(item, *kinds) for item in items)
    mark = _without(value.varying, kinds)
    return _marked(value, mark, value.items if items == value.items else items)


def _without(mark: str, kinds: tuple[str, ...]) -> str:
    return mark.partition("|")[2].replace(CALLED, "") if mark.startswith(kinds) else mark


def of_operation(left: Value, right: Value, operator: cst.CSTNode | None = None) -> str:
    """A number does not change the shape of the array that it is added to; rounding clears it."""
    if left.kind is Kind.STATIC and right.kind is Kind.STATIC:
        return "" if isinstance(operator, _ROUNDING) else strongest((left.varying, right.varying))
    for one, other in ((left, right), (right, left)):
        if one.kind is Kind.LIST and other.kind is Kind.STATIC:
            return held(one) or other.varying  # [0] * n
    if left.kind is Kind.LIST and right.kind is Kind.LIST and isinstance(operator, cst.Add):
        left, right = without(left, GROWN), without(right, GROWN)  # rows + [0] * (100 - len(rows))
    if left.varying == "own-maximum" and isinstance(operator, cst.Subtract):
        return left.varying  # longest - n, of an unknown n
    return next((v.varying for v in (left, right) if v.varying and v.kind is not Kind.STATIC), "")


def of_slice(node: cst.Slice, lower: Value | None, upper: Value | None, width: str) -> str:
    """`x[:i]` changes with i; `x[i:i + k]` is as long as k is (the last may be shorter)."""
    marks = [v.varying for v in (lower, upper) if v is not None and v.varying]
    if lower is not None and lower.varying and node.lower is not None and node.upper is not None:
        if names_in(node.lower) & names_in(node.upper):
            step = next((mark for mark in marks if mark in _STEPS), "")
            return f"{width}|{step}" if width.startswith(PARAM) and step else width or step
        if len(marks) > 1:
            return ""  # `x[start:end]`: may well be a window
    mark = strongest(marks)
    return "loop-variable" if mark in _STEPS else mark


def width_of(node: cst.Slice) -> cst.BaseExpression | None:
    """The `k` of `x[i : i + k]` and of `x[i * k : (i + 1) * k]`."""
    match node.lower, node.upper:
        case lower, cst.BinaryOperation(left=left, operator=cst.Add(), right=right) if lower:
            first = dotted(lower)
            if first and first in (dotted(left), dotted(right)):
                return right if first == dotted(left) else left
        case (
            cst.BinaryOperation(operator=cst.Multiply(), right=size),
            cst.BinaryOperation(operator=cst.Multiply(), right=other),
        ) if dotted(size) == dotted(other):
            return size
    return None


def of_index(node: cst.Subscript, index: Value) -> str:
    """The mark that an index gives to what it cuts out."""
    parts = index.items if len(node.slice) > 1 else (index,)
    for element, part in zip(node.slice, parts, strict=False):
        if part.kind is not Kind.STATIC and _is_test(element.slice):
            return "selection"
        if isinstance(element.slice, cst.Slice) and part.varying:
            return part.varying
        if part.kind in _ARRAYS and part.varying:  # x[order[i:i + k]]
            return part.varying
    return ""


def _is_test(node: cst.CSTNode) -> bool:
    """`x[x > 0]`, `x[(x > 0) & (x < 1)]`."""
    if node.__class__ is not cst.Index:
        return False
    stack: list[cst.CSTNode] = [node.value]  # type: ignore[attr-defined]
    while stack:
        match stack.pop():
            case cst.Comparison():
                return True
            case cst.UnaryOperation(operator=cst.BitInvert(), expression=inner):
                stack.append(inner)
            case cst.BinaryOperation(left=left, operator=cst.BitAnd() | cst.BitOr(), right=right):
                stack.extend((left, right))
    return False


def of_call(name: str, args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> str:
    """The mark of what a function of numpy, JAX and their kin gives."""
    last = name.rpartition(".")[2]
    if last in _REDUCTIONS:
        return ""
    if last == "pad":
        return _of_pad(args, kwargs)
    sizes = [args[p] for p in _SHAPED.get(last, ()) if p < len(args)]
    sizes += [v for k, v in kwargs.items() if k in _SIZES and last in _SHAPED]
    if last == "arange" and len(args) > 1 and args[0].varying:
        return ""  # `arange(start, start + size)`
    mark = strongest(value.varying for value in sizes if value.kind in _SIZED)
    if mark:
        return mark
    given = strongest(map(held, (*args, *kwargs.values())))
    if last in ("reshape", "resize", "broadcast_to"):
        return given if given in RESTS else ""
    return given


def _of_pad(args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> str:
    """Padding up to one length for all clears the mark; up to the longest sets it."""
    widths = args[1] if len(args) > 1 else kwargs.get("pad_width", Value())
    marks = _marks(widths)
    if "own-maximum" in marks:
        return "own-maximum"
    return "" if marks or not widths.literal else held(args[0]) if args else ""


def of_number(name: str, args: tuple[Value, ...]) -> str:
    """`len(x)` of an array that varies does too; logarithms round up to a power."""
    if name.startswith("math."):
        return ""
    first = args[0] if args else Value()
    if name == "builtins.len":
        return held(first) if first.kind in _ARRAYS or first.varying.startswith(GROWN) else ""
    return first.varying if first.kind is Kind.STATIC else ""


def of_maximum(node: cst.CSTNode) -> bool:
    """`int(lengths.max())`."""
    match node:
        case cst.Call(
            args=[cst.Arg(value=cst.Call(func=cst.Attribute(attr=cst.Name(value=name))))]
        ):
            return name in ("max", "amax")
    return False


def of_stranger(name: str, kwargs: Mapping[str, Value]) -> str:
    """Tokenizers and collators of other libraries that pad to the longest of a batch."""
    padding = kwargs.get("padding", Value()).literal
    longest = padding is True or padding == "longest"
    if name.endswith("pad_sequence") or name.endswith("pad_sequences"):
        longest = not {"maxlen", "max_len", "max_length", "length"} & kwargs.keys()
    bounded = {"pad_to_multiple_of", "pad_to_multiple", "images"} & kwargs.keys()
    return "own-maximum" if longest and not bounded else ""


def _marks(value: Value) -> set[str]:
    return {value.varying} - {""} | {mark for item in value.items for mark in _marks(item)}


def loaded(value: Value) -> str:
    """The mark that all parts of a loader's batch have."""
    whole = value.kind in (Kind.UNKNOWN, Kind.TREE)
    return LOADED if value.varying == LOADED and whole else ""


def of_reduction(name: str, base: Value) -> str:
    """The mark of a method's result."""
    reshaped = name == "reshape" and base.varying not in RESTS
    return "" if name in _REDUCTIONS or reshaped else base.varying
