"""Shapes of operations on elements and along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gotcha_lint.facts.avals.call import (
    Call,
    as_shape,
    axes_of,
    axis_of,
    broadcast,
    is_size,
    rule,
    same,
    shape_of,
)
from gotcha_lint.facts.avals.values import (
    Aval,
    Dimension,
    Shape,
    Shapes,
    count,
    least,
    refuse,
    unknown,
)


@rule
def scalar(c: Call, *which: int) -> Shapes:
    c.shapes()
    return ()


@rule
def strict(c: Call, *which: int) -> Shapes:
    """All operands have one shape; only Python numbers are exempt."""
    return one_shape(c, which, lambda v, s: isinstance(v, Aval))


@rule
def strict_or_rank_0(c: Call, *which: int) -> Shapes:
    return one_shape(c, which, lambda v, s: s != ())


def one_shape(c: Call, which: tuple[int, ...], counts: Callable[[Any, Shape], bool]) -> Shape:
    values = [v for i, v in enumerate(c.operands()) if not which or i in which]
    full = [s for s, v in zip(map(shape_of, values), values, strict=False) if counts(v, s)] or [()]
    if any(len(s) != len(full[0]) for s in full):
        refuse("ranks differ")
    for s in full[1:]:
        full[0] = tuple(same(a, b) for a, b in zip(full[0], s, strict=False))
    return full[0]


@rule
def elementwise(c: Call, *which: int) -> Shapes:
    shapes = c.shapes()
    if len(shapes) > 1:
        whole = broadcast(shapes)
        if not which:
            return whole
    return broadcast(
        [shapes[i] if i < len(shapes) else refuse("operand") for i in which or range(len(shapes))]
    )


@rule
def like(c: Call, k: int) -> Shapes:
    """The shape of operand k; the others do not matter."""
    ops = c.operands()
    return shape_of(ops[k]) if k < len(ops) else refuse("operand")


@rule
def like_or_shape(c: Call, k: int) -> Shapes:
    shape = c.get("shape")
    return shape_of(c.operands()[k]) if shape is None else as_shape(shape)


def reduced(shape: Shape, axis: Any, keepdims: Any) -> Shape:
    if keepdims not in (True, False, None):
        unknown("keepdims")
    axes = axes_of(axis, len(shape))
    if len(set(axes)) != len(axes):
        unknown("axis twice")
    return tuple(1 if i in axes else d for i, d in enumerate(shape) if keepdims or i not in axes)


@rule
def reduction(c: Call) -> Shapes:
    return reduced(broadcast(c.shapes()), c.get("axis", "axes"), c.get("keepdims"))


@rule
def reduction_of_one(c: Call, k: int) -> Shapes:
    shapes = c.shapes()
    return reduced(shapes[k], c.get("axis", "axes"), c.get("keepdims"))


@rule
def index_reduction(c: Call) -> Shapes:
    shape, axis, keep = c.shapes()[0], c.get("axis"), c.get("keepdims")
    if axis is None:
        return (1,) * len(shape) if keep else ()
    return reduced(shape, axis_of(axis, len(shape)), keep)


@rule
def flat_or_same(c: Call) -> Shapes:
    """cumsum, sort: the whole array flattened where axis is None."""
    shape, axis = c.shapes()[0], c.get("axis", "dimension")
    if axis is None:
        return (count(shape),)
    axes_of(axis, len(shape))
    return shape


@rule
def same_with_axis(c: Call) -> Shapes:
    shape, axis = broadcast(c.shapes()), c.get("axis", "axes", "dimension")
    axes_of(axis, len(shape))
    return shape


@rule
def unchanged(c: Call) -> Shapes:
    """The shape of the first operand whatever is shifted, flipped or written."""
    c.read.update(
        (
            "shift",
            "axis",
            "dimensions",
            "start_indices",
            "start_index",
            "index",
            "update",
            "decimals",
        )
    )
    return c.shapes()[0]


@rule
def halved(c: Call) -> Shapes:
    s = c.shapes()[0]
    axis = axis_of(c.get("axis"), len(s))
    n = s[axis] // 2
    same(n * 2, s[axis]) if isinstance(n, int) else None
    return (*s[:axis], n, *s[axis + 1 :])


@rule
def counted(c: Call, kind: str) -> Shapes:
    """Results whose size depends on the data, with the size given."""
    s, n = c.shapes()[0], c.get("size", "length")
    c.read.add("fill_value")
    if not is_size(n):
        unknown("the size depends on the data")
    return {"flat": (n,), "rows": (n, len(s)), "many": [(n,)] * len(s)}[kind]


@rule
def take(c: Call) -> Shapes:
    s, index, axis = *c.shapes()[:2], c.get("axis")
    if axis is None:
        return index
    axis = axis_of(axis, len(s))
    return (*s[:axis], *index, *s[axis + 1 :])


@rule
def take_along(c: Call) -> Shapes:
    s, index, axis = *c.shapes()[:2], c.get("axis")
    if axis is None:
        return index if len(index) == 1 else refuse("rank")
    if len(s) != len(index):
        refuse("ranks differ")
    axis = axis_of(axis, len(s))
    return tuple(
        i if k == axis else broadcast([(d,), (i,)])[0]
        for k, (d, i) in enumerate(zip(s, index, strict=False))
    )


@rule
def linspace(c: Call) -> Shapes:
    a, n, axis = broadcast(c.shapes()), c.get("num", default=50), c.get("axis", default=0)
    axis = axis_of(axis, len(a) + 1) if axis in (0, -1) else unknown("axis")
    return (*a[:axis], n if is_size(n) else unknown("num"), *a[axis:])


@rule
def one_hot(c: Call) -> Shapes:
    s, n, axis = c.shapes()[0], c.get("num_classes"), c.get("axis", default=-1)
    axis = axis_of(axis, len(s) + 1)
    return (*s[:axis], n if is_size(n) else unknown("classes"), *s[axis:])


@rule
def top_k(c: Call) -> Shapes:
    s, k, axis = c.shapes()[0], c.get("k"), c.get("axis", default=-1)
    axis = axis_of(axis, len(s))
    return [(*s[:axis], k, *s[axis + 1 :])] * 2


@rule
def differences(c: Call) -> Shapes:
    s, n, axis = c.shapes()[0], c.get("n", default=1), c.get("axis", default=-1)
    axis = axis_of(axis, len(s))
    d = s[axis] - n
    return (*s[:axis], max(0, d) if isinstance(d, int) else d, *s[axis + 1 :])


@rule
def class_indices(c: Call) -> Shapes:
    """Losses on integer labels: the axis of the classes goes, the labels broadcast.

    So logits `(1, n)` with labels `(b,)` give `(b,)`.
    """
    s, labels = c.shapes()[:2]
    axis = c.get("axis")
    left = reduced(s, axis_of(axis, len(s)) if isinstance(axis, int) else unknown("axis"), False)
    return broadcast([left, labels]) if len(left) == len(labels) else refuse("rank")


@rule
def quantile(c: Call) -> Shapes:
    s, q = c.shapes()[:2]
    return (*q, *reduced(s, c.get("axis"), c.get("keepdims")))


@rule
def attention(c: Call) -> Shapes:
    return c.shapes()[0]


@rule
def pattern(c: Call, table: dict[str, list[str]]) -> Shapes:
    """Learned: which sizes are equal decides; anything unseen is unknown."""
    names, out = {}, []
    for s in c.shapes():
        for d in s:
            if d in (0, 1):
                unknown("size 0 or 1")
            names.setdefault(d, "abcdefgh"[len(names)] if len(names) < 8 else unknown("rank"))
        out.append("".join(names[d] for d in s))
    template = table.get(",".join(out))
    if template is None:
        unknown("shape pattern " + ",".join(out))
    env = {v: k for k, v in names.items()}
    shapes = [tuple(expression(e, env) for e in t.split()) for t in template]
    return shapes if len(shapes) > 1 or (template and c.row.get("many")) else shapes[0]


def expression(text: str, env: dict[str, Dimension]) -> Dimension:
    total, sign = 0, 1
    if text.startswith("min"):
        return least(*(env[v] for v in text[3:]))
    half, _, plus = text.partition("//2")
    for term in half.replace("-", "+-").split("+"):
        sign, term = (-1, term[1:]) if term.startswith("-") else (1, term)
        value = sign
        for factor in term.split("*"):
            value = value * (int(factor) if factor.isdigit() else env[factor])
        total = total + value
    if "//2" in text:
        total = total // 2 + (int(plus) if plus else 0)
    return total
