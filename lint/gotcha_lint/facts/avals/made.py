"""Shapes of arrays that are made of a shape: constants, ranges, random draws."""

from __future__ import annotations

from gotcha_lint.facts.avals.call import (
    Call,
    as_shape,
    axis_of,
    broadcast,
    covers,
    is_size,
    rule,
    shape_of,
)
from gotcha_lint.facts.avals.elements import reduced
from gotcha_lint.facts.avals.values import Aval, Dim, Scalar, Shapes, unknown


@rule
def shape_argument(c: Call) -> Shapes:
    c.get("dimension")
    return as_shape(c.get("shape"))


@rule
def shape_or_operands(c: Call) -> Shapes:
    """Random draws: the shape asked for, else that of the parameters."""
    shape = c.get("shape")
    got = (
        broadcast([shape_of(v) for v in c.operands()])
        if any(c.given.get(n) is not None for n in c.row["ops"])
        else ()
    )
    if shape is None:
        return got
    shape = as_shape(shape)
    return covers(shape, got)


@rule
def shape_and_operands(c: Call) -> Shapes:
    """Random draws whose parameters are broadcast against the shape that is asked for."""
    given = [shape_of(c.operand(n)) for n in c.row["ops"] if c.given.get(n) is not None]
    shape = as_shape(c.get("shape") or ())
    return (
        shape
        if broadcast([shape, *given]) == shape
        else unknown("parameters larger than the shape")
    )


@rule
def shape_argument_only(c: Call) -> Shapes:
    for v in [n for n in c.row["ops"] if c.given.get(n) is not None]:
        c.read.add(v)
    return as_shape(c.get("shape", default=()))


@rule
def square(c: Call) -> Shapes:
    n, m = c.get("N", "n"), c.get("M")
    c.get("k")
    return (n, n if m is None else m) if is_size(n) else unknown("size")


@rule
def arange(c: Call) -> Shapes:
    start, stop, step = c.get("start"), c.get("stop"), c.get("step")
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if any(isinstance(v, Scalar) for v in (start, stop, step)):
        unknown("value")
    if any(isinstance(v, Dim) for v in (start, stop)):
        return (stop - start,) if step == 1 and isinstance(step, int) else unknown("step")
    if not all(isinstance(v, (int, float)) for v in (start, stop, step)) or step == 0:
        unknown("value")
    return (max(0, -int(-(stop - start) // step)),)


@rule
def keys(c: Call) -> Shapes:
    """split: as many keys as asked for; raw keys have their words behind."""
    s, n = shape_of(c.operand("key")), c.get("num", "shape", default=2)
    return (*as_shape(n), *s)


@rule
def permutation(c: Call) -> Shapes:
    x = c.get("x")
    return (x,) if is_size(x) else c.shapes()[0]


@rule
def choice(c: Call) -> Shapes:
    a, shape = c.get("a"), as_shape(c.get("shape", default=()))
    if is_size(a):
        c.get("axis")
        return shape
    s = shape_of(a) if isinstance(a, Aval) else unknown("a Python number")
    axis = axis_of(c.get("axis", default=0), len(s))
    return (*s[:axis], *shape, *s[axis + 1 :])


@rule
def drawn_rows(c: Call) -> Shapes:
    """categorical: the last axis (or `axis`) of the logits is consumed."""
    s, shape = c.shapes()[0], c.get("shape")
    out = reduced(s, axis_of(c.get("axis", default=-1), len(s)), False)
    if shape is None:
        return out
    shape = as_shape(shape)
    return covers(shape, out)


@rule
def iota(c: Call) -> Shapes:
    n = c.get("size", "M", "n")
    return (n,) if is_size(n) else unknown("size")
