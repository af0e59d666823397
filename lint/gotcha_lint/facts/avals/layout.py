"""Shapes of operations that move, join, split, pad or repeat elements."""

from __future__ import annotations

from itertools import pairwise, zip_longest
from typing import Any

from gotcha_lint.facts.avals.call import (
    Call,
    as_shape,
    axes_of,
    axis_of,
    covers,
    is_size,
    rule,
    same,
)
from gotcha_lint.facts.avals.elements import reduced
from gotcha_lint.facts.avals.values import Dim, Dimension, Shape, Shapes, count, refuse, unknown


@rule
def ravel(c: Call) -> Shapes:
    return (count(c.shapes()[0]),)


@rule
def at_least(c: Call, n: int) -> Shapes:
    def grown(s: Shape) -> Shape:
        if len(s) >= n:
            return s
        before = (1,) * (n - 1 if not s else 1 if len(s) == 1 and n > 1 else 0)
        return (before + s + (1,) * n)[:n]

    out = [grown(s) for s in c.shapes()]
    return out if len(out) > 1 else out[0]


@rule
def transpose(c: Call) -> Shapes:
    shape, axes = c.shapes()[0], c.get("axes", "permutation")
    if isinstance(axes, (tuple, list)) and len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        axes = axes[0]
    if axes is None or axes == ():
        return shape[::-1]
    order = axes_of(axes, len(shape))
    return (
        tuple(shape[i] for i in order)
        if sorted(order) == list(range(len(shape)))
        else refuse("no permutation")
    )


@rule
def swap(c: Call) -> Shapes:
    s, n = list(c.shapes()[0]), len(c.shapes()[0])
    i, j = axis_of(c.get("axis1"), n), axis_of(c.get("axis2"), n)
    s[i], s[j] = s[j], s[i]
    return tuple(s)


@rule
def move(c: Call) -> Shapes:
    s = c.shapes()[0]
    source, target = axes_of(c.get("source"), len(s)), axes_of(c.get("destination"), len(s))
    order = [i for i in range(len(s)) if i not in source]
    for t, o in sorted(zip(target, source, strict=False)):
        order.insert(t, o)
    return tuple(s[i] for i in order)


@rule
def matrix_transpose(c: Call) -> Shapes:
    s = c.shapes()[0]
    return (*s[:-2], s[-1], s[-2]) if len(s) > 1 else refuse("rank")


@rule
def new_axes(c: Call) -> Shapes:
    s, axis = c.shapes()[0], c.get("axis", "dimensions")
    axis = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = axes_of(axis, len(s) + len(axis))
    rest = iter(s)
    return tuple(1 if i in axes else next(rest) for i in range(len(s) + len(axis)))


@rule
def squeeze(c: Call) -> Shapes:
    s, axis = c.shapes()[0], c.get("axis", "dimensions")
    if axis is None:
        return (
            tuple(d for d in s if d != 1)
            if all(isinstance(d, int) for d in s)
            else unknown("is a size 1?")
        )
    axes = axes_of(axis, len(s))
    for a in axes:
        same(s[a], 1)
    return tuple(d for i, d in enumerate(s) if i not in axes)


@rule
def reshape(c: Call) -> Shapes:
    s, new = c.shapes()[0], c.get("shape", "new_sizes", "args")
    if isinstance(new, (tuple, list)) and len(new) == 1 and isinstance(new[0], (tuple, list)):
        new = new[0]
    new = list(
        (new,) if is_size(new) else new if isinstance(new, (tuple, list)) else unknown("shape")
    )
    if new.count(-1) > 1:
        refuse("two -1")
    if -1 in new:
        rest, total = count(d for d in new if d != -1), count(s)
        if isinstance(rest, int) and isinstance(total, int):
            if rest == 0 or total % rest:
                refuse("sizes differ")
            new[new.index(-1)] = total // rest
        else:
            new[new.index(-1)] = total // rest if isinstance(total, Dim) else unknown("sizes")
    same(count(s), count(new))
    return tuple(new)


@rule
def broadcast_to(c: Call) -> Shapes:
    target, s = as_shape(c.get("shape")), c.shapes()[0]
    return covers(target, s)


@rule
def leading(c: Call) -> Shapes:
    return (*as_shape(c.get("sizes")), *c.shapes()[0])


@rule
def repeat(c: Call) -> Shapes:
    s, times, axis, total = (
        c.shapes()[0],
        c.get("repeats"),
        c.get("axis"),
        c.get("total_repeat_length"),
    )
    if not s:
        s, axis = (1,), 0  # any axis is taken for a rank-0 array
    if axis is None:
        s, axis = (count(s),), 0
    axis = axis_of(axis, len(s))
    n = total if total is not None else s[axis] * times if is_size(times) else unknown("repeats")
    return (*s[:axis], n, *s[axis + 1 :])


@rule
def tile(c: Call) -> Shapes:
    s, reps = c.shapes()[0], c.get("reps")
    reps = (reps,) if is_size(reps) else tuple(reps)
    return tuple(a * b for a, b in zip_longest(s[::-1], reps[::-1], fillvalue=1))[::-1]


@rule
def concatenation(c: Call) -> Shapes:
    shapes, axis = c.shapes(), c.get("axis", "dimension", default=0)
    if axis is None:
        return (sum(count(shape) for shape in shapes),)
    return joined(shapes, axis)


def joined(shapes: list[Shape], axis: Any) -> Shape:
    """The shape of arrays that are put one after the other along an axis."""
    axis = axis_of(axis, len(shapes[0]))
    _check_ranks(shapes)
    total = sum(shape[axis] for shape in shapes)
    return tuple(total if i == axis else agreed(shapes, i) for i in range(len(shapes[0])))


def _check_ranks(shapes: list[Shape]) -> None:
    if any(len(shape) != len(shapes[0]) for shape in shapes):
        refuse("ranks differ")


def agreed(shapes: list[Shape], axis: int) -> Any:
    """The size of an axis, which must be that of all shapes."""
    for shape in shapes[1:]:
        same(shapes[0][axis], shape[axis])
    return shapes[0][axis]


@rule
def stack(c: Call) -> Shapes:
    shapes = c.shapes()
    axis = axis_of(c.get("axis", default=0), len(shapes[0]) + 1)
    _check_ranks(shapes)
    base = tuple(agreed(shapes, i) for i in range(len(shapes[0])))
    return (*base[:axis], len(shapes), *base[axis:])


@rule
def stack_rows(c: Call) -> Shapes:
    return joined([(1, *s) if s and len(s) < 2 else s or (1, 1) for s in c.shapes()], 0)


@rule
def stack_side(c: Call) -> Shapes:
    shapes = [s or (1,) for s in c.shapes()]
    return joined(shapes, 0 if len(shapes[0]) == 1 else 1)


@rule
def stack_depth(c: Call) -> Shapes:
    return joined([{0: (1, 1, 1), 1: (1, *s, 1), 2: (*s, 1)}.get(len(s), s) for s in c.shapes()], 2)


@rule
def stack_columns(c: Call) -> Shapes:
    return joined([(*s, 1) if len(s) == 1 else s or (1, 1) for s in c.shapes()], 1)


def pieces(s: Shape, parts: Any, axis: Any, uneven: bool) -> list[Shape]:
    axis = axis_of(axis, len(s))
    if isinstance(parts, int):
        n = s[axis]
        if isinstance(n, Dim):
            sizes = (
                [n // parts] * parts
                if not uneven and (n // parts) * parts == n
                else unknown("equal parts?")
            )
        elif n % parts and not uneven:
            refuse("unequal parts")
        else:
            sizes = [n // parts + (i < n % parts) for i in range(parts)]
    else:
        edges = [0, *parts, s[axis]]
        if isinstance(s[axis], Dim):
            unknown("is the size past the last index?")
        if any(not isinstance(e, int) or e < 0 for e in edges):
            unknown("indices")
        edges = [min(e, s[axis]) for e in edges]
        sizes = [max(0, b - a) for a, b in pairwise(edges)]
    return [(*s[:axis], n, *s[axis + 1 :]) for n in sizes]


@rule
def split(c: Call, axis: int | None = None, uneven: bool = False) -> Shapes:
    s, parts = c.shapes()[0], c.get("indices_or_sections")
    if axis is None:
        axis = c.get("axis", default=0)
    elif axis == 1 and len(s) == 1:
        axis = 0
    return pieces(s, parts, axis, uneven)


@rule
def split_sizes(c: Call) -> Shapes:
    s, sizes = c.shapes()[0], c.get("sizes")
    axis = axis_of(c.get("axis", default=0), len(s))
    same(s[axis], sum(sizes))
    return [(*s[:axis], n, *s[axis + 1 :]) for n in sizes]


@rule
def unstack(c: Call) -> Shapes:
    s = c.shapes()[0]
    axis = axis_of(c.get("axis", default=0), len(s))
    return [s[:axis] + s[axis + 1 :]] * (
        s[axis] if isinstance(s[axis], int) else unknown("how many?")
    )


@rule
def pad(c: Call) -> Shapes:
    s, width = c.shapes()[0], c.get("pad_width")
    c.get("mode")
    if isinstance(width, int):
        width = [(width, width)] * len(s)
    elif all(isinstance(w, int) for w in width):
        width = [tuple(width) if len(width) == 2 else (width[0],) * 2] * len(s)
    elif len(width) == 1:
        width = list(width) * len(s)
    return (
        tuple(d + a + b for d, (a, b) in zip(s, width, strict=False))
        if len(width) == len(s)
        else refuse("pad width")
    )


@rule
def pad_config(c: Call) -> Shapes:
    s, config = c.shapes()[0], c.get("padding_config")
    if len(config) != len(s):
        refuse("rank")
    return tuple(
        d + lo + hi + (d - 1) * inner
        if not isinstance(d, int)
        else lo + hi + d + max(0, d - 1) * inner
        for d, (lo, hi, inner) in zip(s, config, strict=False)
    )


@rule
def diagonal_matrix(c: Call) -> Shapes:
    s, k = c.shapes()[0], c.get("k", default=0)
    if len(s) == 1:
        return (s[0] + abs(k),) * 2
    return (diagonal_length(*s, k),) if len(s) == 2 else refuse("rank")


def diagonal_length(rows: Dimension, columns: Dimension, k: int) -> Dimension:
    if not isinstance(k, int):
        unknown("offset")
    if k == 0 and rows == columns:
        return rows
    if isinstance(rows, int) and isinstance(columns, int):
        return max(0, min(rows + min(k, 0), columns - max(k, 0)))
    unknown("minimum of symbols")


@rule
def diagonal(c: Call, keep: int = 1) -> Shapes:
    s = c.shapes()[0]
    a, b = axis_of(c.get("axis1", default=0), len(s)), axis_of(c.get("axis2", default=1), len(s))
    if a == b:
        refuse("one axis twice")
    rest = tuple(d for i, d in enumerate(s) if i not in (a, b))
    return (*rest, diagonal_length(s[a], s[b], c.get("offset", default=0))) if keep else rest


@rule
def meshgrid(c: Call) -> Shapes:
    shapes = [count(s) for s in c.shapes()]
    indexing, sparse = c.get("indexing", default="xy"), c.get("sparse", default=False)
    order = (
        [1, 0, *range(2, len(shapes))]
        if indexing == "xy" and len(shapes) > 1
        else range(len(shapes))
    )
    if sparse:
        return [tuple(shapes[j] if i == j else 1 for j in order) for i in range(len(shapes))]
    return [tuple(shapes[j] for j in order)] * len(shapes)


@rule
def broadcast_in_dim(c: Call) -> Shapes:
    c.shapes()
    c.get("broadcast_dimensions")
    return as_shape(c.get("shape"))


@rule
def slice_static(c: Call) -> Shapes:
    s, lo, hi, step = (
        c.shapes()[0],
        c.get("start_indices"),
        c.get("limit_indices"),
        c.get("strides"),
    )
    step = step or (1,) * len(s)
    if not len(s) == len(lo) == len(hi) == len(step):
        refuse("rank")
    return tuple(
        -(-(h - a) // k) if isinstance(h - a, int) else h - a if k == 1 else unknown("stride")
        for a, h, k in zip(lo, hi, step, strict=False)
    )


@rule
def slice_in_dim(c: Call) -> Shapes:
    s = c.shapes()[0]
    axis = axis_of(c.get("axis", default=0), len(s))
    lo, hi, step = c.get("start_index"), c.get("limit_index"), c.get("stride", default=1)
    n = s[axis]
    lo, hi = 0 if lo is None else lo, n if hi is None else hi
    if not all(isinstance(v, int) for v in (lo, hi, step, n)):
        unknown("bounds")
    lo, hi = lo + n if lo < 0 else lo, hi + n if hi < 0 else hi
    return (*s[:axis], max(0, -(-(hi - lo) // step)), *s[axis + 1 :])


@rule
def slice_sizes(c: Call) -> Shapes:
    c.read.add("start_indices")
    sizes, s = as_shape(c.get("slice_sizes")), c.shapes()[0]
    return sizes if len(sizes) == len(s) else refuse("rank")


@rule
def slice_size_in_dim(c: Call) -> Shapes:
    c.read.add("start_index")
    s = c.shapes()[0]
    axis = axis_of(c.get("axis", default=0), len(s))
    return (*s[:axis], c.get("slice_size"), *s[axis + 1 :])


@rule
def index_in_dim(c: Call) -> Shapes:
    c.read.add("index")
    s, keep = c.shapes()[0], c.get("keepdims", default=True)
    axis = axis_of(c.get("axis", default=0), len(s))
    return reduced(s, axis, keep)
