"""Which calls are tried for a function: from the names of its parameters, or written by hand."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.avals.probe import PRIMES, K, L, P, count, observe
from benchmarks.avals.written_plans import SPECIAL, TWO
from gotcha_lint.facts.avals.call import SEQUENCES
from gotcha_lint.facts.avals.values import DType

ONE = ["ab", "", "a", "abc", "abcd", "1", "1a", "a1b", "aa", "aab", "baa", "3", "a2", "0", "a0"]
THREE = [
    tuple(x.split(","))
    for x in [
        "ab,ab,ab",
        ",,",
        "a,a,a",
        "ab,,",
        "a,,",
        ",ab,ab",
        ",ab,",
        ",a,a",
        ",,a",
        "ab,b,a1",
        "a,a,",
        "ab,ab,",
        "ab,,ab",
        "abc,abc,abc",
        "b,ab,1",
        "ab,b,b",
        "abc,c,c",
        "ab,bc,c",
        "ab,ac,ad",
        "a,b,c",
        "abc,,",
        "aa,aa,aa",
    ]
]
FOUR = [(s,) * 4 for s in ("ab", "a", "", "abc")] + [
    tuple(x.split(",")) for x in ("abcd,aecd,aecd,", ["ab,,,", "ab,b,b,b"][0])
]
LISTS = [
    ["ab", "ab"],
    ["a", "a"],
    ["", ""],
    ["abc", "abc", "abc"],
    ["ab", "cb"],
    ["ab", "ac"],
    ["a", "b", "c"],
    ["abc", "abd"],
    ["abc", "adc"],
    ["abc", "dbc"],
    ["ab"],
    ["abc"],
    ["a"],
    ["ab", "b"],
    ["ab", "bc"],
    ["ab", "bc", "cd"],
    ["abcd", "abcd"],
    ["a", "ba"],
    ["ab", ""],
]
STATIC = set(
    [
        "axis",
        "axes",
        "dtype",
        "shape",
        "keepdims",
        "key",
        "n",
        "num",
        "N",
        "M",
        "k",
        "axis1",
        "axis2",
        "source",
        "destination",
        "pad_width",
        "reps",
        "repeats",
        "shift",
        "sizes",
        "dimension",
        "dimensions",
        "permutation",
        "new_sizes",
        "indices_or_sections",
        "num_classes",
        "subscripts",
        "dimension_numbers",
        "padding_config",
        "slice_sizes",
        "size",
        "mode",
        "newshape",
        "start_index",
        "limit_index",
        "new_dtype",
        "padding",
        "window_strides",
        "strides",
        "name",
        "axis_name",
        "accuracy",
        "index_dtype",
        "offset",
        "precision",
        "decimals",
        "num_segments",
        "side",
        "method",
        "deg",
        "func",
        "bins",
        "exact_order",
        "start_dimension",
        "stop_dimension",
        "rank",
        "reduction_dimension",
        "reduce_fn",
        "max_fun",
        "impl",
    ]
)
OPTIONAL = [
    "arr",
    "a",
    "x",
    "y",
    "min",
    "max",
    "targets",
    "b",
    "a_min",
    "a_max",
    "delta",
    "bias",
    "minval",
    "maxval",
    "scale",
    "loc",
    "start_indices",
]
AXIS = ("axis", "axes", "dimension", "dimensions")


def axis_values(rank, name, required):
    one = [0, -1, 1, -2, 2][: max(1, 2 * min(rank, 2) + (rank > 2))] if rank else [0]
    many = [(0,), (0, -1), (0, 1), (1, 2), ()]
    out = ([] if required else [Ellipsis]) + [None, *one, *many]
    return out


def generic(fn):
    """Calls from the names of the parameters alone."""
    first = fn.params[0].name if fn.params else ""
    varargs = [p.name for p in fn.params if p.kind == p.VAR_POSITIONAL]
    axis = next((a for a in AXIS if a in fn.names), None)
    needs_axis = axis in fn.required
    out = []

    def add(given, rank):
        for value in axis_values(rank, axis, needs_axis) if axis else [Ellipsis]:
            named = given if value is Ellipsis else {**given, axis: value}
            out.append(fn.call(named))
            if "keepdims" in fn.names and rank in (0, 2, 3):
                out.append(fn.call({**named, "keepdims": True}))

    if first in SEQUENCES or first in ("xi", "arrays") or (varargs and not fn.required):
        name = varargs[0] if varargs else first
        for shapes in LISTS:
            add({name: [P(s) for s in shapes]}, len(shapes[0]))
        return out
    if first == "key" and fn.leaf not in ("dot_product_attention",):
        return draws(fn)
    if "shape" in fn.required and first == "shape":
        for shape in ((), (3,), (2, 5), (3, 0, 2), 4, L(lambda e: (e["a"], e["b"] * 2))):
            rest = [n for n in fn.required if n != "shape"]
            for s in ("", "a") if rest else ("",):
                out.append(
                    fn.call({"shape": shape, **{n: P(s) if s == "" else P("a") for n in rest}})
                )
        return out
    ops = [n for n in fn.required if n not in STATIC]
    static = [n for n in fn.required if n in STATIC and n not in AXIS and n != "dtype"]
    extra = [n for n in OPTIONAL if n in fn.names and n not in fn.required]
    if not ops and extra:
        ops, extra = extra[:1], extra[1:]
    if static or not ops:
        return []
    for more in range(min(len(extra), 2) + 1):
        names = ops + extra[:more]
        shapes = {1: [(s,) for s in ONE], 2: TWO, 3: THREE, 4: FOUR}.get(len(names), [])
        for s in shapes:
            given: dict[str, Any] = dict(zip(names, map(P, s), strict=False))
            if "dtype" in fn.required:
                given["dtype"] = DType("float32")
            add(given, max(map(len, s)))
    if "shape" in fn.names:
        for s in ("ab", "a"):
            for shape in ((2, 3), (), 5):
                if len(ops) == 1:
                    out.append(fn.call({ops[0]: P(s), "shape": shape}))
                elif len(ops) == 2:
                    out.append(fn.call({ops[0]: P(s), ops[1]: P(""), "shape": shape}))
    return out


def draws(fn):
    ops = [n for n in fn.required if n not in STATIC]
    extra = [
        n
        for n in ("minval", "maxval", "p", "scale", "lam", "n", "a", "b")
        if n in fn.names and n not in fn.required
    ]
    out = []
    shapes = [
        Ellipsis,
        (),
        (3,),
        (2, 5),
        (4, 3, 2),
        None,
        L(lambda e: (e["a"],)),
        L(lambda e: (e["b"], e["a"])),
    ]
    for shape in shapes if "shape" in fn.names else [Ellipsis]:
        base: dict[str, Any] = {"key": K}
        if shape is not Ellipsis:
            base["shape"] = shape
        elif "shape" in fn.required:
            continue
        for names in [ops] if not extra else [ops, ops + extra[:1], ops + extra[:2]]:
            for group in {
                0: [()],
                1: [("",), ("a",), ("ba",), ("ab",), ("aa",)],
                2: [("", ""), ("a", "a"), ("a", ""), ("ba", "a"), ("a", "aa")],
                3: [("", "", ""), ("a", "a", "a")],
            }.get(len(names), []):
                out.append(fn.call({**base, **dict(zip(names, map(P, group), strict=False))}))
    return out


def plan(fn):
    special = SPECIAL.get(fn.leaf)
    if fn.name.startswith("jax.lax.") and fn.leaf + "_lax" in SPECIAL:
        special = SPECIAL[fn.leaf + "_lax"]
    if fn.name.startswith(("jax.scipy.stats.bernoulli", "jax.scipy.stats.poisson")):
        special = SPECIAL["polygamma"]
    if fn.name == "jax.random.split":
        special = SPECIAL["split_key"]
    if fn.name.startswith("jax.random.") and fn.leaf in ("gamma", "beta", "t"):
        special = None
    if fn.leaf in ("vsplit", "hsplit", "dsplit"):
        special = [c for c in special or () if not c[1] and len(c[0]) == 2]
    if fn.name in ("jax.Array.view", "jax.lax.bitcast_convert_type"):
        return []  # the size of the element counts
    if fn.name == "jax.nn.identity" or (fn.name.startswith("jax.Array.") and fn.leaf == "round"):
        special = None
    return special if special is not None else generic(fn)


HOME = [
    ("float32",) * 6,
    ("int32",) * 6,
    ("bool",) * 6,
    ("complex64",) * 6,
    ("bool", "float32", "float32") * 2,
    ("float32", "int32") * 3,
    ("float32", "float32", "int32") * 2,
    ("int32", "float32") * 3,
    ("float32", "bool") * 3,
    ("uint32",) * 6,
    ("bool", "int32", "int32"),
    ("float32", "int32", "int32", "int32"),
]


def home(fn, calls, env=PRIMES):
    """The first combination of types that the function accepts at all."""
    calls = [c for c in calls if count(c)]
    picked = calls[:8] + calls[8 :: max(1, len(calls) // 14)]
    for types in HOME:
        for call in picked:
            if observe(fn.obj, call, env, types * 4)[0] == "ok":
                return types * 4
    return HOME[0] * 4


def sample(calls, limit, seed):
    if len(calls) <= limit:
        return calls
    return [calls[i] for i in sorted(random.Random(seed).sample(range(len(calls)), limit))]
