"""Learns the rows of the table: a named rule for shapes and one for types, for each function."""

from __future__ import annotations

import itertools
import random
from collections import Counter

from benchmarks.avals import plans, probe
from gotcha_lint.facts.avals.call import SEQUENCES
from gotcha_lint.facts.avals.elements import expression
from gotcha_lint.facts.avals.table import Table, bind, prepared
from gotcha_lint.facts.avals.types import TYPES, USUAL_WEAK, explicit_type, join, type_of
from gotcha_lint.facts.avals.values import Aval, DType, Refused, Stop, Unknown, refuse

CANDIDATES = [  # strict before lenient, named before learned
    ("scalar",),
    ("shape_argument",),
    ("shape_argument_only",),
    ("iota",),
    ("square",),
    ("arange",),
    ("strict",),
    ("strict_or_rank_0",),
    ("flat_or_same",),
    ("like", 0),
    ("index_reduction",),
    ("reduction",),
    ("elementwise",),
    ("same_with_axis",),
    ("unchanged",),
    ("halved",),
    ("counted", "flat"),
    ("counted", "rows"),
    ("counted", "many"),
    ("broadcast_in_dim",),
    ("like", 1),
    ("like", 2),
    ("strict", 0, 1),
    ("elementwise", 0, 1),
    ("elementwise", 1, 2),
    ("elementwise", 0, 2),
    ("elementwise", 0, 1, 2),
    ("like_or_shape", 0),
    ("reduction_of_one", 0),
    ("ravel",),
    ("at_least", 1),
    ("at_least", 2),
    ("at_least", 3),
    ("shape_or_operands",),
    ("shape_and_operands",),
    ("transpose",),
    ("swap",),
    ("move",),
    ("matrix_transpose",),
    ("new_axes",),
    ("squeeze",),
    ("reshape",),
    ("broadcast_to",),
    ("leading",),
    ("repeat",),
    ("tile",),
    ("take",),
    ("take_along",),
    ("concatenation",),
    ("stack",),
    ("stack_rows",),
    ("stack_side",),
    ("stack_depth",),
    ("stack_columns",),
    ("split",),
    ("split", None, True),
    ("split", 0),
    ("split", 1),
    ("split", 2),
    ("split_sizes",),
    ("unstack",),
    ("pad",),
    ("pad_config",),
    ("diagonal_matrix",),
    ("diagonal",),
    ("diagonal", 0),
    ("linspace",),
    ("one_hot",),
    ("top_k",),
    ("flat_product",),
    ("matmul",),
    ("dot",),
    ("inner",),
    ("outer",),
    ("vecdot",),
    ("tensordot",),
    ("dot_general",),
    ("kron",),
    ("einsum",),
    ("meshgrid",),
    ("differences",),
    ("fft",),
    ("fft", "half"),
    ("fft", "inverse"),
    ("convolution",),
    ("cross",),
    ("keys",),
    ("permutation",),
    ("choice",),
    ("drawn_rows",),
    ("slice_static",),
    ("slice_in_dim",),
    ("slice_sizes",),
    ("slice_size_in_dim",),
    ("index_in_dim",),
    ("window",),
    ("quantile",),
]
DTYPES = [
    "float32",
    "bfloat16",
    "float16",
    "int32",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "float",
    "int",
    "float64",
    "int64",
]
BASIC = ["bool", "int32", "uint8", "float16", "bfloat16", "float32", "complex64"]
DTYPE_OPTIONS = ("dtype", "new_dtype", "index_dtype")
VARIED = [*BASIC, "int32*", "float32*", "complex64*", "float16*"]
NUMBERS = list(probe.NUMBERS)


class Reject(Exception):
    pass


def predict(table, row, call, env, types):
    args, kwargs = probe.realize(call, env, types, "rules")
    try:
        return table.answer(row, bind(row, args, kwargs))
    except Stop as stop:
        return stop.verdict
    except Exception:  # a rule tried on a call that it was not made for
        return Unknown("not applicable")


def shapes_of(prediction):
    if isinstance(prediction, Aval):
        return [prediction.shape], False
    return [a.shape for a in prediction], True


def operands_of(fn, calls, parameters=()):
    """Parameters that received arrays, in order."""
    found = {}
    for call in calls:
        given = bind({"sig": fn.sig, "kw": fn.kw}, list(call[0]), dict(call[1]))
        for name, value in given.items():
            many = isinstance(value, list) and value and isinstance(value[0], probe.P)
            if isinstance(value, probe.P) or many:
                if many and name not in SEQUENCES:
                    continue
                found[name] = 1
    return [n for n in fn.names if n in found and n != "start_indices"]


def base_row(fn, ops):
    row = {
        "sig": fn.sig,
        "kw": fn.kw,
        "ops": ops,
        "def": dict(fn.defaults),
        "type": [[[], "fixed", "float32"]],
        "inert": [],
    }
    if fn.names[:1] == ["key"]:
        row["inert"] = ["key"]
    option = next((n for n in DTYPE_OPTIONS if n in fn.names), None)
    if option:
        row["dtype"] = option
    return row


def choose_shape(fn, row, seen, table):
    """The candidate that contradicts nothing and explains most."""
    best = None
    order = [s for s in seen if s[2][0] == "ok"] + [s for s in seen if s[2][0] == "error"]
    for _rank, candidate in enumerate(CANDIDATES):
        trial = {**row, "shape": list(candidate)}
        right = refused = 0
        for k, (call, env, answer, types) in enumerate(order):
            guess = predict(table, trial, call, env, types)
            if answer[0] == "error":
                refused += isinstance(guess, Refused)
                continue
            if isinstance(guess, Unknown):
                if k > 25 and not right:
                    break
                continue
            if isinstance(guess, Refused):
                break
            shapes, many = shapes_of(guess)
            if shapes != [s for s, _, _ in answer[1]] or many != answer[2]:
                break
            right += 1
        else:
            if right and (best is None or (right, refused) > best[0]):
                best = (right, refused), list(candidate)
    return best


def templates(shape, names):
    """Expressions over the letters that give each size of one observed output."""
    letters = sorted(names)
    options = []
    for d in shape:
        found = [x for x in letters if names[x] == d]
        if d in (0, 1, 2, 3, 4, 6):
            found.append(str(d))
        for x in letters:
            found += [
                e
                for e, v in (
                    (f"{x}-1", names[x] - 1),
                    (f"{x}+1", names[x] + 1),
                    (f"{x}//2+1", names[x] // 2 + 1),
                    (f"2*{x}", 2 * names[x]),
                    (f"2*{x}-2", 2 * names[x] - 2),
                    (f"2*{x}-1", 2 * names[x] - 1),
                )
                if v == d
            ]
        for x, y in itertools.combinations_with_replacement(letters, 2):
            found += [
                e
                for e, v in (
                    (f"{x}*{y}", names[x] * names[y]),
                    (f"{x}+{y}", names[x] + names[y]),
                    (f"{x}+{y}-1", names[x] + names[y] - 1),
                )
                if v == d
            ]
            if x != y and min(names[x], names[y]) == d:
                found.append(f"min{x}{y}")
        for trio in itertools.combinations(letters, 3):
            if names[trio[0]] * names[trio[1]] * names[trio[2]] == d:
                found.append("*".join(trio))
        options.append(found)
    return options


def value(text, env):
    return expression(text, env)


def learn_pattern(fn, row, calls, types):
    """{equalities between the sizes: sizes of the results}, for calls without options."""
    table, count = {}, 0
    for call in calls:
        if any(not isinstance(v, probe.P) for v in call[1].values()):
            continue
        flat = [
            p for v in [*call[0], *call[1].values()] for p in (v if isinstance(v, list) else [v])
        ]
        if not all(isinstance(p, probe.P) for p in flat) or any(
            ch.isdigit() for p in flat for ch in p.dims
        ):
            continue
        order, key = {}, []
        for p in flat:
            key.append("".join(order.setdefault(ch, "abcdefgh"[len(order)]) for ch in p.dims))
        key = ",".join(key)
        answers = []
        for env in (probe.PRIMES, probe.PRIMES2):
            answers.append(
                (
                    probe.observe(fn.obj, call, env, types),
                    {new: env[old] for old, new in order.items()},
                )
            )
        if any(a[0][0] != "ok" for a in answers) or len(answers[0][0][1]) != len(answers[1][0][1]):
            continue
        row["many"] = answers[0][0][2]
        out = []
        for i in range(len(answers[0][0][1])):
            a, b = answers[0][0][1][i][0], answers[1][0][1][i][0]
            if len(a) != len(b):
                break
            names = answers[0][1]
            text = []
            for options, d in zip(templates(a, names), b, strict=False):
                good = [e for e in options if value(e, answers[1][1]) == d]
                if not good:
                    break
                text.append(good[0])
            if len(text) != len(a):
                break
            out.append(" ".join(text))
        else:
            if key in table and table[key] != out:
                return None
            table[key], count = out, count + 1
    return table if table else None


# ---------------------------------------------------------------- types
def type_calls(fn, seen):
    """A few accepted calls, one for each set of operands."""
    chosen = {}
    for call, env, answer, _types in seen:
        if answer[0] != "ok" or env is not probe.PRIMES:
            continue
        given = bind({"sig": fn.sig, "kw": fn.kw}, list(call[0]), dict(call[1]))
        held = tuple(
            (n, len(v) if isinstance(v, list) else 1)
            for n, v in given.items()
            if isinstance(v, (probe.P, list))
        )
        plain = sum(1 for v in given.values() if not isinstance(v, (probe.P, list)))
        flat = [
            p
            for v in given.values()
            for p in (v if isinstance(v, list) else [v])
            if isinstance(p, probe.P)
        ]
        score = (-probe.count(call), plain, abs(2 - max([len(p.dims) for p in flat] or [0])))
        if held not in chosen or score < chosen[held][0]:
            chosen[held] = score, call
    ranked = sorted(chosen.items(), key=lambda kv: (len(kv[0]), kv[0]))
    out = [call for _, (_, call) in ranked][:4]
    # one operand: also square ones and with options
    for k, (call, _env, answer, _types) in enumerate(seen):
        single = answer[0] == "ok" and probe.count(call) == 1
        square = any("aa" in p.dims for p in call[0] if isinstance(p, probe.P))
        wanted = single and bool(call[1] or square or k % 11 == 0)
        if wanted and len(out) < 9 and repr(call) not in map(repr, out):
            out.append(call)
    return out


def type_grid(n, seed, types, scalars=True):
    numbers = NUMBERS if scalars else []
    if n == 1:
        return [(t,) for t in [*TYPES, *numbers]]
    if n == 2:
        return (
            [(t, t) for t in TYPES]
            + list(itertools.product(VARIED + numbers, repeat=2))
            + [(a, b) for a in ("float32", "bfloat16") for b in TYPES]
        )
    rng = random.Random(seed)
    out = [(t,) * n for t in TYPES]
    for _ in range(80):
        few = rng.sample(VARIED + numbers, 2)
        out.append(tuple(rng.choice(few) for _ in range(n)))
    for i in range(n):  # one operand at a time
        out += [tuple(t if k == i else types[k] for k in range(n)) for t in VARIED]
    return list(dict.fromkeys(out))


def held_values(row, call, types):
    args, kwargs = probe.realize(call, probe.PRIMES, types, "rules")
    given = bind(row, args, kwargs)
    out = []
    for _i, name in enumerate(row["ops"]):
        v = given.get(name)
        out.append(
            None if v is None else list(v) if name in SEQUENCES and isinstance(v, list) else [v]
        )
    return out


def fit_type(row, rows, leaf):
    """Smallest set of operands, and how they combine, that determines the type of one output."""
    outcome = [(values, answer) for values, answer in rows]
    okay = [a[1][leaf][1:] for _, a in outcome if a[0] == "ok" and len(a[1]) > leaf]
    if len(set(okay)) == 1 and (len(okay) > 1 or not row["ops"]):
        d, w = okay[0]
        return [[], "fixed", d + "*" * w], None
    n = len(row["ops"])
    for size in range(1, min(n, 4) + 1):
        for which in itertools.combinations(range(min(n, 5)), size):
            single = size == 1 and row["ops"][which[0]] not in SEQUENCES
            for mode in ("join",) if single else ("strict_numbers", "strict", "join"):
                learned, bad = {}, False
                for values, answer in outcome:
                    held = [v for i in which if values[i] is not None for v in values[i]]
                    if not held:
                        bad = bad or answer[0] == "ok"
                        continue
                    try:
                        found = combine(mode, held)
                    except Stop as stop:
                        if answer[0] == "ok" and isinstance(stop.verdict, Refused):
                            bad = True
                            break
                        continue
                    key = found[0] + "*" * found[1]
                    if answer[0] != "ok" or len(answer[1]) <= leaf:
                        learned.setdefault(key, set())
                        continue
                    d, w = answer[1][leaf][1:]
                    learned.setdefault(key, set()).add(d + "*" * w)
                    if len(learned[key]) > 1:
                        bad = True
                        break
                if not bad:
                    return [list(which), mode, None], {
                        k: (v.pop() if v else "-") for k, v in sorted(learned.items())
                    }
    return None, None


PRE = ("same", "strong", "inexact", "inexact strong")


def fit_mapped(row, rows, leaf):
    """As fit_type, each operand's type changed first (made inexact, made strong)."""
    outcome = [
        (v, a)
        for v, a in rows
        if a[0] == "ok" and len(a[1]) > leaf and all(x and len(x) == 1 for x in v)
    ]
    n = len(row["ops"])
    if not outcome or not 1 < n < 4:
        return None, None
    types = [([type_of(x[0]) for x in v], a[1][leaf][1:]) for v, a in outcome]
    for before in itertools.product(PRE, repeat=n):
        learned = {}
        for ts, (d, w) in types:
            j = join(prepared(b, t) for b, t in zip(before, ts, strict=False))
            if learned.setdefault(j[0] + "*" * j[1], d + "*" * w) != d + "*" * w:
                break
        else:
            return [list(range(n)), "join", None, list(before)], dict(sorted(learned.items()))
    return None, None


def within(limits, values):
    flat = [x for held in values if held for x in held]
    if "numbers" in limits and not all(isinstance(x, Aval) for x in flat):
        return False
    if "joined weak" in limits and flat and join(map(type_of, flat))[1]:
        return False
    if "weak" in limits and any(isinstance(x, Aval) and x.weak for x in flat):
        return False
    if "equal" in limits and len({type_of(x) for x in flat}) > 1:
        return False
    if "complex" in limits and any(type_of(x)[0] == "complex64" for x in flat):
        return False
    return "odd" not in limits or not any(w and d not in USUAL_WEAK for d, w in map(type_of, flat))


def combine(mode, values):
    types = [type_of(v) for v in values]
    if mode == "strict":
        if len({d for d, _ in types}) > 1:
            refuse("")
        return types[0][0], all(w for _, w in types)
    if mode == "strict_numbers":
        arrays = [t for v, t in zip(values, types, strict=False) if isinstance(v, Aval)]
        if len({d for d, _ in arrays}) > 1:
            refuse("")
        found = (arrays[0][0], all(w for _, w in arrays)) if arrays else join(types)
        if join(types)[0] != found[0]:
            refuse("")
        return found
    return join(types)


# ---------------------------------------------------------------- one function
INERT = {
    "precision": ["highest"],
    "approximate": [False, True],
    "rtol": [0.1],
    "atol": [0.1],
    "equal_nan": [True],
    "side": ["right"],
    "ddof": [1],
    "correction": [1],
    "stable": [True],
    "descending": [True],
    "alpha": [0.3],
    "negative_slope": [0.2],
    "fill_value": [0],
    "mode": ["clip", "reflect"],
    "constant_values": [1],
    "epsilon": [1e-3],
    "decimals": [2],
    "unique_indices": [True],
    "indices_are_sorted": [True],
    "delta": [2.0],
    "is_stable": [False],
    "reverse": [True],
    "nan": [0.0],
    "posinf": [1.0],
    "neginf": [1.0],
    "initial": [1],
    "method": [],
    "beta": [2.0],
    "gamma": [2.0],
    "temperature": [0.5],
    "margin": [0.5],
    "eps": [1e-4],
    "unroll": [],
    "norm_degree": [3],
    "is_causal": [True],
    "scale": [0.5],
}


def inert(fn, row, seen, table):
    """Options that change neither shape nor type, by trying them."""
    done = [s for s in seen if s[2][0] == "ok"][:40:8]
    out = []
    for p in fn.params:
        name = p.name
        if (
            p.default is p.empty
            or name in row["ops"]
            or name in (*plans.AXIS, "keepdims", "dtype", "shape", "out")
        ):
            continue
        values = INERT.get(name) or (
            [not p.default]
            if isinstance(p.default, bool)
            else [p.default * 0.5 + 0.1]
            if isinstance(p.default, float)
            else []
        )
        good = tried = 0
        for v in values:
            for call, env, answer, types in done:
                if name in call[1] or len(call[0]) > fn.names.index(name):
                    continue
                for ts in (
                    types,
                    ("int32*",) * 24,
                    ("complex64*",) * 24,
                    ("float16",) * 24,
                    ("uint8",) * 24,
                ):
                    before = answer if ts is types else probe.observe(fn.obj, call, env, ts)
                    again = probe.observe(fn.obj, (call[0], {**call[1], name: v}), env, ts)
                    tried += before[0] == "ok"
                    good += before[0] == "ok" and again == before
        if tried and good == tried:
            out.append(name)
    return out


def explicit_dtype(fn, seen):
    """True where `dtype=D` always means "the result is D, strongly typed"."""
    done = [s for s in seen if s[2][0] == "ok"]
    good, option = 0, next(n for n in DTYPE_OPTIONS if n in fn.names)
    for call, env, _answer, types in [s for s in done if option not in s[0][1]][:40:12] or done[:2]:
        for d in DTYPES:
            args, kwargs = list(call[0]), dict(call[1])
            at = fn.names.index(option)
            if at < len(args):
                args[at] = DType(d)
            else:
                kwargs[option] = DType(d)
            new = probe.observe(fn.obj, (args, kwargs), env, types)
            if new[0] != "ok":
                continue
            if any((t, w) != (explicit_type(DType(d)), False) for _, t, w in new[1]):
                return False
            good += 1
    return good > 0


def learn(fn):
    data = {"types": {}, "functions": {}}
    calls = plans.plan(fn)
    if not calls:
        raise Reject("no plan for its parameters")
    table = Table(data)
    types = plans.home(fn, calls)
    limited = plans.sample(calls, 180, fn.name)
    random.Random(fn.name).shuffle(limited := list(limited))
    seen = []
    for k, call in enumerate(limited):
        seen.append((call, probe.PRIMES, probe.observe(fn.obj, call, probe.PRIMES, types), types))
        if k == 60 and not any(s[2][0] != "error" for s in seen):
            break
    for call in plans.sample(calls, 24, fn.name + "2"):
        seen.append((call, probe.PRIMES2, probe.observe(fn.obj, call, probe.PRIMES2, types), types))
    kinds = Counter(s[2][0] for s in seen)
    if kinds["python"] > kinds["ok"]:
        raise Reject("returns " + next(s[2][1] for s in seen if s[2][0] == "python"))
    if kinds["ok"] < 2:
        raise Reject(
            "accepts no call of the plan: "
            + Counter(s[2][1] for s in seen if s[2][0] == "error").most_common(1)[0][0]
        )
    row = base_row(fn, operands_of(fn, [s[0] for s in seen if s[2][0] == "ok"]))
    got = choose_shape(fn, row, seen, table)
    if got is None or got[0][0] < 0.5 * kinds["ok"]:
        pattern = learn_pattern(fn, row, calls, types) if row["ops"] else None
        if pattern is None and got is None:
            raise Reject("shape")
        if pattern is not None and (got is None or len(pattern) > got[0][0]):
            row["shape"] = ["pattern", pattern]
        elif got is not None:
            row["shape"] = got[1]
    else:
        row["shape"] = got[1]

    # types
    rows = []
    outputs = 1
    for call in type_calls(fn, seen):
        n = probe.count(call)
        grid = type_grid(n, fn.name, types) if n else [()]
        for ts in grid:
            if fn.name.startswith("jax.Array.") and ts and ts[0] in NUMBERS:
                continue
            answer = probe.observe(fn.obj, call, probe.PRIMES, list(ts))
            if answer[0] == "python":
                continue
            if answer[0] == "ok":
                outputs = max(outputs, len(answer[1]))
            try:
                values = held_values(row, call, ts)
            except Stop:
                continue
            rows.append((values, answer))
    same_types = all(len({t[1:] for t in a[1]}) == 1 for _, a in rows if a[0] == "ok")
    row["type"] = []
    for leaf in range(1 if same_types else min(outputs, 8)):
        for limits in (
            [],
            ["mapped"],
            ["odd"],
            ["mapped", "odd"],
            ["joined weak"],
            ["weak"],
            ["complex"],
            ["numbers"],
            ["complex", "odd"],
            ["numbers", "odd"],
            ["complex", "numbers", "odd"],
            ["complex", "weak"],
            ["numbers", "weak"],
            ["equal"],
            ["equal", "numbers"],
        ):
            fit = fit_mapped if "mapped" in limits else fit_type
            how, learned = fit(row, [r for r in rows if within(limits, r[0])], leaf)
            if how is not None:
                row["limits"] = sorted({*limits, *row.get("limits", [])} - {"mapped"})
                break
        if how is None:
            raise Reject("type")
        if learned is not None:
            how[2] = learned
        row["type"].append(how)
    if "dtype" in row and not explicit_dtype(fn, seen):
        del row["dtype"]
    row["inert"] += inert(fn, row, seen, table)
    return tidy(row)


def tidy(row):
    row = {
        k: v for k, v in row.items() if v not in ([], {}, False, None) or k in ("sig", "kw", "ops")
    }
    return row
