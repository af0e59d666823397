"""Calls that are tried for structural functions, whose parameters mean sizes and axes: by hand."""

from __future__ import annotations

import itertools
from typing import Any

from benchmarks.avals.probe import K, L, P
from gotcha_lint.facts.avals.values import DType

TWO = [
    (s, t)
    for s, t in (
        x.split(",")
        for x in [
            "ab,ab",
            "a,a",
            ",",
            "abc,abc",
            ",a",
            "a,",
            ",ab",
            "ab,",
            "ab,b",
            "b,ab",
            "ab,1b",
            "a1,ab",
            "a1,b",
            "abc,b1",
            "abc,c",
            "a,b",
            "ab,bc",
            "ab,cb",
            "ab,ac",
            "ab,cd",
            "abc,acd",
            "abc,cd",
            "abc,bcd",
            "ab,dbc",
            "abc,dce",
            "a,ab",
            "a,ba",
            "ab,a",
            "abc,ab",
            "abc,b",
            "abc,a",
            "aa,aa",
            "aa,a",
            "aa,ab",
            "a,aa",
            "baa,ba",
            "baa,bac",
            "baa,baa",
            "a,abc",
            "abcd,abcd",
            "3,3",
            "a3,a3",
            "a3,3",
            "ab,abc",
            "abcd,d",
            "abcd,abde",
            "ab,abcd",
            "1,a",
            "ab,cab",
        ]
    )
]

INDEX = "int32"
A2 = L(lambda e: e["a"] * 2)
SPECIAL: dict[str, Any] = {
    "reshape": [
        ([P("ab"), s], {})
        for s in (
            L(lambda e: (e["b"], e["a"])),
            L(lambda e: (e["a"] * e["b"],)),
            -1,
            (-1,),
            (1, -1),
            L(lambda e: (e["a"], 1, e["b"])),
            L(lambda e: (-1, e["b"])),
            (2, -1),
        )
    ]
    + [
        ([P(""), (1,)], {}),
        ([P("abc"), L(lambda e: (e["a"] * e["b"], e["c"]))], {}),
        ([P("abc"), L(lambda e: (e["a"], -1))], {}),
        ([P(""), ()], {}),
    ],
    "expand_dims": [
        ([P(s), a], {})
        for s in ("", "a", "ab", "abc")
        for a in (0, -1, 1, (0,), (0, 1), (0, -1), 2)
    ],
    "squeeze": [([P(s)], {}) for s in ("1a", "a1b", "ab", "", "1", "11a")]
    + [([P(s), a], {}) for s in ("1a", "a1b", "11a") for a in (0, 1, -2, (0,), (0, 1), (1,))],
    "transpose": [([P(s)], {}) for s in ("", "a", "ab", "abc", "abcd")]
    + [([P("abc"), p], {}) for p in itertools.permutations(range(3))]
    + [
        ([P("ab"), (1, 0)], {}),
        ([P("ab"), (-1, 0)], {}),
        ([P("a"), (0,)], {}),
        ([P("ab"), (0,)], {}),
    ],
    "swapaxes": [
        ([P(s), i, j], {}) for s in ("ab", "abc", "abcd") for i in (0, 1, -1) for j in (1, -1, 2)
    ],
    "moveaxis": [
        ([P(s), i, j], {})
        for s in ("ab", "abc", "abcd")
        for i, j in ((0, -1), (-1, 0), (1, 0), ((0, 1), (1, 0)), ((0, 1), (-1, -2)), (2, 1))
    ],
    "rollaxis": [([P("abc"), 1], {}), ([P("abc"), 2, 1], {})],
    "broadcast_to": [
        ([P(s), t], {})
        for s in ("", "a", "1a", "a1")
        for t in (
            L(lambda e: (e["b"], e["a"])),
            L(lambda e: (e["a"], e["b"])),
            L(lambda e: (e["a"],)),
            (2, 3),
            L(lambda e: (2, 1, e["a"])),
        )
    ],
    "broadcast": [
        ([P(s), t], {}) for s in ("", "a", "ab") for t in ((2,), (2, 3), (), L(lambda e: (e["a"],)))
    ],
    "repeat": [
        ([P(s), n], k)
        for s in ("", "a", "ab", "abc")
        for n in (2, 3, L(lambda e: e["c"]))
        for k in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1}, {"axis": 0, "total_repeat_length": 7})
    ],
    "tile": [
        ([P(s), n], {})
        for s in ("", "a", "ab", "abc")
        for n in (2, (2,), (2, 3), (2, 1, 3), L(lambda e: (e["b"], 1)))
    ],
    "take": [
        ([P(s), P(t, INDEX)], k)
        for s in ("a", "ab", "abc")
        for t in ("", "d", "de")
        for k in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1})
    ],
    "take_along_axis": [
        ([P(s), P(t, INDEX), a], {})
        for s, t in (
            ("a", "b"),
            ("ab", "ac"),
            ("ab", "cb"),
            ("abc", "abd"),
            ("abc", "ab1"),
            ("ab", "1b"),
            ("ab", "a"),
        )
        for a in (0, 1, -1, None)
    ],
    "split": [
        ([P(s), n], k)
        for s in ("ab", "6a", "a", "6", "a4")
        for n in (1, 2, 3, (1, 2), (2,), [1])
        for k in ({}, {"axis": 1}, {"axis": -1}, {"axis": 0})
    ]
    + [([P("5a"), (2, 3)], {}), ([P("a5"), (2, 3), 1], {})],
    "unstack": [
        ([P(s)], k) for s in ("3a", "a3", "a", "43") for k in ({}, {"axis": 1}, {"axis": -1})
    ],
    "pad": [
        ([P(s), w], k)
        for s in ("a", "ab", "abc")
        for w in (
            1,
            (1, 2),
            ((1, 2),),
            ((0, 1), (2, 0)),
            ((0, 0), (1, 1), (2, 3)),
            [(0, 1), (0, 0)],
        )
        for k in ({}, {"mode": "edge"})
    ],
    "diag": [
        ([P(s)], k) for s in ("a", "ab", "aa", "ba", "abc") for k in ({}, {"k": 1}, {"k": -2})
    ],
    "diagonal": [
        ([P(s)], k)
        for s in ("ab", "aa", "abc", "aab", "abcd")
        for k in (
            {},
            {"offset": 1},
            {"offset": -1},
            {"axis1": -2, "axis2": -1},
            {"axis1": 0, "axis2": 2},
        )
    ],
    "eye": [
        ([n], k)
        for n in (3, L(lambda e: e["a"]))
        for k in ({}, {"M": 5}, {"k": 1}, {"M": L(lambda e: e["b"])})
    ],
    "tri": [([n], k) for n in (3, L(lambda e: e["a"])) for k in ({}, {"M": 5}, {"k": 1})],
    "identity": [([n], {}) for n in (3, L(lambda e: e["a"]))],
    "arange": [
        (list(a), {})
        for a in (
            (5,),
            (2, 9),
            (0, 10, 3),
            (10, 0, -3),
            (5.0,),
            (0.0, 1.0, 0.25),
            (L(lambda e: e["a"]),),
            (0, L(lambda e: e["a"])),
            (L(lambda e: e["a"]), L(lambda e: e["a"] + 4)),
            (0, 5, 0.5),
            (2.5,),
            (0,),
            (1, 4.5),
        )
    ],
    "linspace": [
        ([P(s), P(t)], k)
        for s, t in (("", ""), ("a", ""), ("ab", "b"))
        for k in (
            {},
            {"num": 5},
            {"num": L(lambda e: e["c"])},
            {"num": 3, "axis": -1},
            {"num": 7, "endpoint": False},
        )
    ],
    "one_hot": [
        ([P(s, t), n], k)
        for s in ("", "a", "ab")
        for t in (None, INDEX)
        for n in (5, L(lambda e: e["c"]))
        for k in ({}, {"axis": 0}, {"axis": -1})
    ],
    "top_k": [
        ([P(s), 2], k)
        for s in ("a", "ab", "abc")
        for k in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1})
    ],
    "tensordot": [
        ([P(s), P(t)], k)
        for s, t in (("abc", "bcd"), ("ab", "bc"), ("abc", "cab"), ("ab", "ab"), ("ab", "ba"))
        for k in (
            {},
            {"axes": 1},
            {"axes": 0},
            {"axes": ((1,), (0,))},
            {"axes": ((-1,), (0,))},
            {"axes": ((0, 1), (1, 2))},
        )
    ],
    "dot_general": [
        ([P(s), P(t), d], {})
        for s, t in (("ab", "bc"), ("abc", "acd"), ("ab", "cb"), ("abc", "bcd"))
        for d in (
            (((1,), (0,)), ((), ())),
            (((2,), (1,)), ((0,), (0,))),
            (((1,), (1,)), ((), ())),
            (((), ()), ((), ())),
        )
    ],
    "einsum": [
        ([t, *map(P, s.split(","))], {})
        for t, s in (
            ("ij,jk->ik", "ab,bc"),
            ("ij,jk", "ab,bc"),
            ("ii->i", "aa"),
            ("ij->", "ab"),
            ("...ij,...jk->...ik", "dab,dbc"),
            ("bhqd,bhkd->bhqk", "abcd,abed"),
            ("i,j", "a,b"),
            ("ij->ji", "ab"),
            ("ii", "aa"),
            ("...i->...", "abc"),
            ("ij,ij->i", "ab,ab"),
            ("ij,j", "ab,c"),
            ("i,i,i->i", "a,a,a"),
            ("...a,ab", "cda,ab"),
        )
    ],
    "meshgrid": [
        ([P(x) for x in s], k)
        for s in ("ab", "abc", "a", ["a", ""])
        for k in ({}, {"indexing": "ij"}, {"sparse": True})
    ],
    "diff": [
        ([P(s)], k) for s in ("a", "ab", "abc") for k in ({}, {"n": 2}, {"axis": 0}, {"axis": -1})
    ],
    "convolve": [([P("a"), P("b")], k) for k in ({}, {"mode": "same"}, {"mode": "valid"})]
    + [([P("a"), P("a")], {}), ([P("ab"), P("a")], {})],
    "roll": [
        ([P(s), n], k)
        for s in ("", "a", "ab", "abc")
        for n in (1, -2)
        for k in ({}, {"axis": 0}, {"axis": -1})
    ],
    "full": [
        ([s, P(t)], {})
        for s in ((), (3,), (2, 3), 4, L(lambda e: (e["b"], e["a"])))
        for t in ("", "a", "ba")
    ],
    "full_like": [
        ([P(s), P(t)], k)
        for s in ("", "a", "ab")
        for t in ("", "b")
        for k in ({}, {"shape": (2, 5)}, {"shape": ()})
    ],
    "split_key": [([K], {}), ([K, 3], {}), ([K, (2, 3)], {}), ([K, L(lambda e: e["a"])], {})],
    "permutation": [
        ([K, P(s)], k) for s in ("a", "ab", "abc") for k in ({}, {"axis": 1}, {"independent": True})
    ]
    + [([K, 5], {}), ([K, L(lambda e: e["a"])], {})],
    "choice": [
        ([K, P(s)], k)
        for s in ("a", "ab")
        for k in (
            {},
            {"shape": (2,)},
            {"shape": (2, 3)},
            {"shape": (2,), "axis": 1},
            {"shape": (2,), "replace": False},
        )
    ]
    + [
        ([K, 7], {"shape": (2,)}),
        ([K, 7], {}),
        ([K, 7], {"shape": (3, 2), "replace": False}),
        ([K, P("a"), (2,)], {"p": P("a", "float32")}),
    ],
    "categorical": [
        ([K, P(s)], k)
        for s in ("a", "ab", "abc")
        for k in (
            {},
            {"axis": 0},
            {"axis": -1},
            {"shape": L(lambda e: (4, e["a"]))},
            {"shape": ()},
            {"shape": (3,)},
        )
    ],
    "randint": [
        ([K, s, P(t), P(u)], {})
        for s in ((), (3,), (2, 5), L(lambda e: (e["b"], e["a"])))
        for t, u in (("", ""), ("a", ""), ("a", "ba"))
    ],
    "iota": [([DType(t), n], {}) for t in ("int32", "float32") for n in (3, L(lambda e: e["a"]))],
    "broadcasted_iota": [
        ([DType("int32"), s, 0], {}) for s in ((3,), (2, 4), L(lambda e: (e["a"], e["b"])))
    ],
    "broadcast_in_dim": [
        ([P(s), t, d], {})
        for s, t, d in (
            ("a", L(lambda e: (e["a"], 4)), (0,)),
            ("a", L(lambda e: (4, e["a"])), (1,)),
            ("", (2, 3), ()),
            ("ab", L(lambda e: (e["a"], 2, e["b"])), (0, 2)),
        )
    ],
    "slice": [
        ([P(s), lo, hi], k)
        for s, lo, hi in (
            ("55", (0, 1), (2, 4)),
            ("5", (1,), (4,)),
            ("567", (0, 0, 0), (5, 2, 7)),
            ("ab", (0, 0), L(lambda e: (1, e["b"]))),
        )
        for k in ({}, {"strides": (1, 2)}, {"strides": (2,)})
    ],
    "slice_in_dim": [
        ([P(s), lo, hi], k)
        for s in ("57", "5", "79")
        for lo in (0, 1)
        for hi in (4, -1, None)
        for k in ({}, {"stride": 2}, {"axis": -1})
    ],
    "dynamic_slice": [
        ([P("ab"), [P("", INDEX), P("", INDEX)], (2, 3)], {}),
        ([P("a"), [P("", INDEX)], (1,)], {}),
        ([P("ab"), [P("", INDEX), 0], L(lambda e: (1, e["b"]))], {}),
        ([P("ab"), [0, 0], (2, 2)], {}),
    ],
    "dynamic_slice_in_dim": [
        ([P(s), P("", INDEX), 2], k)
        for s in ("a", "ab", "abc")
        for k in ({}, {"axis": 1}, {"axis": -1})
    ],
    "dynamic_update_slice": [([P("ab"), P(u), [P("", INDEX), 0]], {}) for u in ("12", "22")]
    + [([P("a"), P("2"), [P("", INDEX)]], {})],
    "dynamic_update_slice_in_dim": [([P("ab"), P(u), P("", INDEX), 0], {}) for u in ("1b", "2b")],
    "dynamic_index_in_dim": [
        ([P(s), P("", INDEX)], k)
        for s in ("a", "ab", "abc")
        for k in ({}, {"axis": 1}, {"keepdims": False})
    ],
    "index_in_dim": [
        ([P(s), 1], k) for s in ("a", "ab", "abc") for k in ({}, {"axis": 1}, {"keepdims": False})
    ],
    "dynamic_update_index_in_dim": [([P("ab"), P(u), P("", INDEX), 0], {}) for u in ("b", "1b")],
    "conv": [
        ([P(s), P(t), st, p], {})
        for s, t in (("7277", "4233"), ("abef", "cb33"), ("a29", "c23"))
        for st in ((1, 1), (2, 2), (1,))
        for p in ("SAME", "VALID")
    ],
    "conv_general_dilated": [
        ([P(s), P(t), st, p], {})
        for s, t in (("7277", "4233"), ("abef", "cb33"), ("a29", "c23"))
        for st in ((1, 1), (2, 2), (1,))
        for p in ("SAME", "VALID", ((1, 1), (0, 1)))
    ],
    "quantile": [
        ([P(s), P(t)], k)
        for s in ("a", "ab", "abc")
        for t in ("", "d")
        for k in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 0, "keepdims": True})
    ],
    "convert_element_type": [([P(s), DType("float32")], {}) for s in ("", "a", "ab", "abc")],
    "dot_product_attention": [
        ([P("abcd"), P(k), P(k)], o)
        for k in ("aecd", "abcd", "ae1d")
        for o in ({}, {"is_causal": True})
    ]
    + [([P("bcd"), P("ecd"), P("ecd")], {})],
    "round": [([P(s)], k) for s in ("", "a", "ab") for k in ({}, {"decimals": 2})],
    "squared_error": None,
    "normal": None,
    "fold_in": [([K, P("", "int32")], {}), ([K, 3], {}), ([K, P("", "uint32")], {})],
    "key": [([P("", INDEX)], {}), ([3], {})],
    "PRNGKey": [([P("", INDEX)], {}), ([3], {})],
    "rfft": [
        ([P(s)], k)
        for s in ("a", "ab", "abc")
        for k in ({}, {"n": 8}, {"axis": 0}, {"axis": -1, "n": 5})
    ],
    "argmax_lax": [
        ([P(s), a, DType("int32")], {}) for s in ("a", "ab", "abc") for a in (0, 1, -1, 2)
    ],
    "digitize": [([P(s), P("c")], {}) for s in ("", "a", "ab", "abc")],
    "hamming": [([5], {}), ([L(lambda e: e["a"])], {}), ([8], {})],
    "glu": [([P(s)], {}) for s in ("4", "a6", "ab4", "a2")]
    + [([P("4a"), 0], {}), ([P("a4b"), 1], {}), ([P("6a4"), -3], {}), ([P("a8"), -1], {})],
    "select_n": [([P(s, "bool"), P(s), P(s)], {}) for s in ("", "a", "ab", "abc")]
    + [([P("", "bool"), P("ab"), P("ab")], {})],
    "bincount": [([P("a")], {"length": n}) for n in (4, L(lambda e: e["b"]))],
    "nonzero": [
        ([P(s)], {"size": n}) for s in ("a", "ab", "abc") for n in (4, L(lambda e: e["d"]))
    ],
    "matrix_power": [([P(s), n], {}) for s in ("aa", "baa", "cbaa") for n in (0, 1, 2, 5)],
    "matrix_rank": [([P(s)], {}) for s in ("ab", "abc", "aa", "abcd")],
    "factorial": [([P(s)], {}) for s in ("", "a", "ab", "abc")],
    "polygamma": [([P(s), P(t)], {}) for s, t in TWO],
    "approx_max_k": [([P(s), 2], {}) for s in ("a", "ab", "abc")],
    "pad_lax": [
        ([P("ab"), P(""), ((1, 2, 0), (0, 1, 0))], {}),
        ([P("a"), P(""), ((1, 1, 1),)], {}),
        ([P("ab"), P(""), ((0, 0, 2), (-1, 0, 0))], {}),
        ([P("a"), P(""), ((0, 0, 0), (0, 0, 0))], {}),
    ],
    "squeeze_lax": [
        ([P(s), a], {}) for s in ("1a", "a1b", "11a", "ab") for a in ((0,), (1,), (0, 1), (-2,))
    ],
    "transpose_lax": [([P("abc"), p], {}) for p in itertools.permutations(range(3))]
    + [([P("ab"), (1, 0)], {}), ([P("a"), (0,)], {})],
    "split_lax": [
        ([P(s), z], k)
        for s, z in (("5a", (2, 3)), ("6a", (1, 2, 3)), ("ab", L(lambda e: (1, e["a"] - 1))))
        for k in ({}, {"axis": 0})
    ]
    + [([P("a5"), (2, 3)], {"axis": 1})],
}
for same, names in {
    "swapaxes": ("swap",),
    "argmax_lax": ("argmin_lax",),
    "nonzero": ("argwhere", "flatnonzero", "unique", "unique_values"),
    "hamming": ("hanning", "bartlett", "blackman", "fftfreq"),
    "polygamma": ("expn", "comb"),
    "approx_max_k": ("approx_min_k",),
    "roll": (),
    "rfft": ("fft", "ifft", "irfft", "hfft", "ihfft"),
    "convolve": ("correlate",),
    "quantile": ("nanquantile", "percentile", "nanpercentile"),
    "diag": ("diagflat",),
    "slice": (),
    "diagonal": ("trace",),
    "eye": (),
    "split": ("array_split", "vsplit", "hsplit", "dsplit"),
    "categorical": (),
    "round": ("around",),
    "linspace": ("logspace", "geomspace"),
    "convert_element_type": ("astype", "bitcast_convert_type", "view"),
}.items():
    for n in names:
        SPECIAL[n] = SPECIAL[same]
