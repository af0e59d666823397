"""Compares the table with the library on random calls: sizes, types, numbers, options.

Two questions: is the answer right with numbers as sizes; is it right with symbols as sizes, the
numbers put in afterwards.
"""

from __future__ import annotations

import random
from collections import defaultdict

from benchmarks.avals import learn, plans, probe
from gotcha_lint.facts.avals.types import STRONG, TYPES
from gotcha_lint.facts.avals.values import Dim, DType, Refused, Unknown


def sizes(rng):
    pool = rng.choice(
        (
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
            [2, 3, 4, 6, 8, 9],
            [1, 2, 5],
            [16, 24, 33, 40, 51, 7, 9, 13],
        )
    )
    env = {ch: rng.choice(pool) for ch in "abcdefgh"}
    if rng.random() < 0.5:  # all different
        env = dict(
            zip(
                "abcdefgh",
                rng.sample([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 8),
                strict=False,
            )
        )
    return env


def types_for(rng, n, home, first_is_array):
    if rng.random() < 0.35:
        return list(home[:n])
    usual = [*STRONG] + ["int32*", "float32*", "complex64*"] * 2 + list(probe.NUMBERS) * 2
    pool = rng.sample(usual if rng.random() < 0.85 else TYPES, 2)
    if rng.random() < 0.3:
        pool.append(rng.choice([*TYPES, *probe.NUMBERS]))
    out = [rng.choice(pool) for _ in range(n)]
    if rng.random() < 0.5:  # keep the operands that are indices or masks as they should be
        out = [h if h != home[0] else t for t, h in zip(out, home, strict=False)]
    if first_is_array and out and out[0] in probe.NUMBERS:
        out[0] = home[0]
    return out


def vary(rng, fn, call):
    """Another dtype=, axis= or keepdims= than the plan's."""
    args, kwargs = list(call[0]), dict(call[1])
    if "dtype" in fn.names and rng.random() < 0.4 and len(args) <= fn.names.index("dtype"):
        kwargs["dtype"] = DType(rng.choice([*learn.DTYPES, "uint32", "int16"]))
    if (
        "keepdims" in fn.names
        and "keepdims" not in kwargs
        and len(args) <= fn.names.index("keepdims")
        and rng.random() < 0.2
    ):
        kwargs["keepdims"] = rng.choice([True, False])
    if isinstance(kwargs.get("axis"), int) and rng.random() < 0.5:
        kwargs["axis"] = rng.choice([-3, -2, -1, 0, 1, 2])
    return args, kwargs


def as_dims(value, env):
    if isinstance(value, Dim):
        return value.value(env)
    return value


def plain(answer):
    """Prediction as [(shape, dtype, weak)], many."""
    many = isinstance(answer, tuple)
    return [(a.shape, a.dtype, a.weak) for a in (answer if many else (answer,))], many


def check(table, name, fn, calls, seed):
    rng = random.Random(f"{seed} {name}")
    row, plan = table.row(name), plans.plan(fn)
    home = plans.home(fn, plan)
    tally, wrong = defaultdict(int), []
    for _ in range(calls * 6):
        if tally["accepted"] >= calls:
            break
        call, env = vary(rng, fn, rng.choice(plan)), sizes(rng)
        ts = types_for(rng, probe.count(call), home, name.startswith("jax.Array."))
        truth = probe.observe(fn.obj, call, env, ts)
        guess = learn.predict(table, row, call, env, ts)
        if truth[0] == "python":
            continue
        if truth[0] == "error":
            tally["refused"] += 1
            tally[
                "refusal foreseen"
                if isinstance(guess, Refused)
                else "refusal unknown"
                if isinstance(guess, Unknown)
                else "refusal not foreseen"
            ] += 1
            continue
        tally["accepted"] += 1
        if isinstance(guess, Unknown):
            tally["unknown"] += 1
            tally["why " + guess.why.split(" (")[0].split(",")[0][:40]] += 1
        elif isinstance(guess, Refused) or plain(guess) != (truth[1], truth[2]):
            tally["wrong"] += 1
            wrong.append((call, {k: v for k, v in env.items()}, ts, truth[1], repr(guess)[:200]))
        else:
            tally["exact"] += 1
        symbols = {k: Dim.symbol(k) for k in env}
        guess = learn.predict(table, row, call, symbols, ts)
        if isinstance(guess, Unknown):
            tally["symbolic unknown"] += 1
            continue
        if not isinstance(guess, Refused):
            found, many = plain(guess)
            try:
                found = [(tuple(as_dims(d, env) for d in s), t, w) for s, t, w in found]
            except Exception:
                found = None
            if found == truth[1] and many == truth[2]:
                tally["symbolic exact"] += 1
                continue
            if (
                distinct(call, env) is False
            ):  # the symbols stand for sizes that are equal or 1: a special case
                tally["symbolic special"] += 1
                continue
        tally["symbolic wrong"] += 1
        wrong.append(("symbolic", call, env, ts, truth[1], repr(guess)[:200]))
    return tally, wrong


def distinct(call, env):
    text = repr(call)
    used = [
        env[ch]
        for ch in "abcdefgh"
        if any(
            ch in p.dims
            for v in [*call[0], *call[1].values()]
            for p in (v if isinstance(v, list) else [v])
            if isinstance(p, probe.P)
        )
    ]
    return len(set(used)) == len(used) and 1 not in used and 0 not in used and bool(text)
