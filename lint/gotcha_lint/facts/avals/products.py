"""Shapes of products, convolutions and Fourier transforms."""

from __future__ import annotations

from itertools import zip_longest

from gotcha_lint.facts.avals.call import Call, axes_of, axis_of, broadcast, rule, same
from gotcha_lint.facts.avals.elements import reduced
from gotcha_lint.facts.avals.values import Shapes, count, refuse, unknown


@rule
def matmul(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    if not a or not b:
        refuse("rank 0")
    same(a[-1], b[0] if len(b) == 1 else b[-2])
    batch = broadcast([a[:-2], b[:-2]])
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


@rule
def dot(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    if not a or not b:
        return a or b
    same(a[-1], b[0] if len(b) == 1 else b[-2])
    return (*a[:-1], *(() if len(b) == 1 else (*b[:-2], b[-1])))


@rule
def inner(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    if not a or not b:
        return a or b
    same(a[-1], b[-1])
    return (*a[:-1], *b[:-1])


@rule
def outer(c: Call) -> Shapes:
    return tuple(count(s) for s in c.shapes()[:2])


@rule
def flat_product(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    same(count(a), count(b))
    return ()


@rule
def vecdot(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    axis = c.get("axis", default=-1)
    same(a[axis_of(axis, len(a))], b[axis_of(axis, len(b))])
    return reduced(broadcast([a, b]), axis, False)


@rule
def tensordot(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    axes = c.get("axes", default=2)
    if isinstance(axes, int):
        left, right = tuple(range(len(a) - axes, len(a))), tuple(range(axes))
        if axes > min(len(a), len(b)):
            refuse("axes")
    else:
        left, right = axes_of(axes[0], len(a)), axes_of(axes[1], len(b))
    for i, j in zip(left, right, strict=False):
        same(a[i], b[j])
    return tuple(d for i, d in enumerate(a) if i not in left) + tuple(
        d for i, d in enumerate(b) if i not in right
    )


@rule
def dot_general(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    (lc, rc), (lb, rb) = c.get("dimension_numbers")
    for i, j in [*zip(lc, rc, strict=False), *zip(lb, rb, strict=False)]:
        same(a[i], b[j])
    return (
        *(a[i] for i in lb),
        *(d for i, d in enumerate(a) if i not in (*lc, *lb)),
        *(d for i, d in enumerate(b) if i not in (*rc, *rb)),
    )


@rule
def kron(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    return tuple(x * y for x, y in zip_longest(a[::-1], b[::-1], fillvalue=1))[::-1]


@rule
def einsum(c: Call) -> Shapes:
    text, shapes = c.get("subscripts"), c.shapes()
    if not isinstance(text, str):
        unknown("subscripts")
    text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms, sizes, dots = left.split(","), {}, ()
    if len(terms) != len(shapes):
        refuse("operands")
    for term, s in zip(terms, shapes, strict=False):
        if "..." in term:
            head, _, tail = term.partition("...")
            middle = s[len(head) : len(s) - len(tail)]
            dots = broadcast([dots, middle])
            s, term = s[: len(head)] + s[len(s) - len(tail) :], head + tail
        if len(term) != len(s):
            refuse("rank")
        for name, d in zip(term, s, strict=False):
            sizes[name] = broadcast([(sizes.get(name, 1),), (d,)])[0]
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = ("..." if "..." in left else "") + "".join(
            sorted(x for x in set(letters) if letters.count(x) == 1)
        )
    head, found, tail = right.partition("...")
    return (*(sizes[x] for x in head), *(dots if found else ()), *(sizes[x] for x in tail))


@rule
def fft(c: Call, kind: str = "same") -> Shapes:
    s, n, axis = c.shapes()[0], c.get("n"), c.get("axis", default=-1)
    axis = axis_of(axis, len(s))
    n = s[axis] if n is None else n
    if c.get("n") is None and kind == "inverse":
        n = 2 * (n - 1)
    return (*s[:axis], {"same": n, "half": n // 2 + 1, "inverse": n}[kind], *s[axis + 1 :])


@rule
def convolution(c: Call) -> Shapes:
    a, v = (s[0] if len(s) == 1 else refuse("rank") for s in c.shapes()[:2])
    mode = c.get("mode")
    if mode == "full":
        return (a + v - 1,)
    if not (isinstance(a, int) and isinstance(v, int)):
        return (a,) if a == v and mode == "same" else unknown("which is longer?")
    return (max(a, v) if mode == "same" else max(a, v) - min(a, v) + 1,)


@rule
def cross(c: Call) -> Shapes:
    a, b = c.shapes()[:2]
    if (
        c.given.get("axisa", -1) != -1
        or c.given.get("axisb", -1) != -1
        or c.given.get("axis") is not None
    ):
        unknown("axis")
    if a and b and not (isinstance(a[-1], int) and isinstance(b[-1], int)):
        unknown("size 2 or 3?")
    if not a or not b or not {a[-1], b[-1]} <= {2, 3}:
        refuse("size 2 or 3")
    lead = broadcast([a[:-1], b[:-1]])
    return (*lead, 3) if 3 in (a[-1], b[-1]) else lead


@rule
def window(c: Call) -> Shapes:
    """conv: batch, features, spatial in the default layout (NCHW, OIHW)."""
    a, k = c.shapes()[:2]
    if c.get("dimension_numbers") is not None or c.get("lhs_dilation") or c.get("rhs_dilation"):
        unknown("layout")
    if len(a) != len(k) or len(a) < 2:
        refuse("rank")
    strides, padding = c.get("window_strides"), c.get("padding")
    if len(strides) != len(a) - 2:
        refuse("rank")
    groups, batches = c.get("feature_group_count", default=1), c.get("batch_group_count", default=1)
    if groups != 1 or batches != 1:
        unknown("groups")
    same(a[1], k[1])
    out = []
    for i, (n, w, st) in enumerate(zip(a[2:], k[2:], strides, strict=False)):
        if isinstance(padding, str):
            if padding.upper() == "SAME":
                out.append(
                    -(-n // st) if isinstance(n, int) else n if st == 1 else (n + st - 1) // st
                )
                continue
            lo = hi = 0
        else:
            lo, hi = padding[i]
        span = n + lo + hi - w
        out.append(max(0, span // st + 1) if isinstance(span, int) else span // st + 1)
    return (a[0], k[0], *out)
