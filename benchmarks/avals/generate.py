"""Makes the table: learns all rows, shares equal maps of types, compares two releases."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import signal
import sys
import time
from pathlib import Path

import jax
import optax

from benchmarks.avals import probe
from benchmarks.avals.learn import Reject, learn
from gotcha_lint.facts.avals.values import Stop


class Maps:
    """Distinct maps of types.

    Only equal ones are shared: a richer map would answer for types that were never tried.
    """

    def __init__(self):
        self.maps = {}

    def name(self, learned):
        for name, known in self.maps.items():
            if known == learned:
                return name
        name = f"t{len(self.maps)}"
        self.maps[name] = learned
        return name


class TooSlow(BaseException):
    pass


WRITTEN = {  # what no grid finds; checked like everything else
    "jax.numpy.arange": {
        "sig": ["start", "stop", "step", "dtype"],
        "kw": ["device", "out_sharding"],
        "ops": ["start", "stop", "step"],
        "type": [
            [
                [0, 1, 2],
                "join",
                {"int32*": "int32", "float32*": "float32", "int32": "int32", "float32": "float32"},
            ]
        ],
        "shape": ["arange"],
        "dtype": "dtype",
    },
    "jax.numpy.full_like": {
        "sig": ["a", "fill_value", "dtype", "shape"],
        "kw": ["device"],
        "ops": ["a", "fill_value"],
        "dtype": "dtype",
        "type": [[[0], "join", None]],
        "shape": ["like_or_shape", 0],
        "limits": ["numbers", "weak"],
    },
    "optax.losses.softmax_cross_entropy_with_integer_labels": {
        "sig": ["logits", "labels", "axis", "where"],
        "kw": [],
        "ops": ["logits", "labels"],
        "def": {"axis": -1},
        "type": [[[0], "join", None, ["strong"]]],
        "shape": ["class_indices"],
    },
    "jax.random.split": {
        "sig": ["key", "num"],
        "kw": [],
        "ops": ["key"],
        "type": [[[0], "join", None]],
        "shape": ["keys"],
    },
    "jax.random.fold_in": {
        "sig": ["key", "data"],
        "kw": [],
        "ops": ["key"],
        "type": [[[0], "join", None]],
        "shape": ["like", 0],
        "inert": ["data"],
    },
}


def on_alarm(*_):
    raise TooSlow


FUNCTIONS = {}


def work(name):
    if not FUNCTIONS:
        FUNCTIONS.update(probe.functions()[0])
    signal.signal(signal.SIGALRM, on_alarm)
    t = time.time()
    signal.setitimer(
        signal.ITIMER_REAL, 90, 5
    )  # only a safety net: what it stops need not be stopped again
    try:
        answer = learn(FUNCTIONS[name])
    except Reject as why:
        answer = str(why)
    except TooSlow:
        answer = "too slow to probe"
    except Stop as stop:
        answer = stop.verdict.why
    except Exception as error:
        answer = f"probing failed: {type(error).__name__}: {error}"[:120]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return name, answer, round(time.time() - t, 1)


def generate(only=None, skip=(), processes=2):
    found, alias, unreadable = probe.functions()
    maps, functions, unknown, start = Maps(), {}, {}, time.time()
    names = []
    for name, fn in found.items():
        if only and name not in only:
            continue
        if fn.leaf in probe.HIGHER:
            unknown[name] = "takes functions"
        elif name in skip:
            unknown[name] = skip[name]
        elif name in WRITTEN:
            functions[name] = WRITTEN[name]
        else:
            names.append(name)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for k, (name, answer, took) in enumerate(pool.imap(work, names, chunksize=4)):
            if isinstance(answer, str):
                unknown[name] = answer
            else:
                functions[name] = answer
            if took > 8 or k % 100 == 99:
                print(
                    f"{k + 1} of {len(names)}, {time.time() - start:.0f} s, {name} {took} s",
                    file=sys.stderr,
                    flush=True,
                )
    functions = dict(sorted(functions.items()))
    for row in functions.values():
        for how in row["type"]:
            if how[1] != "fixed" and isinstance(how[2], dict):
                how[2] = maps.name(how[2])
    for name in unreadable:
        unknown[name] = "no signature"
    for name, target in alias.items():
        if target in functions:
            functions[name] = target
        elif not only:
            unknown[name] = "= " + target
    print(
        f"{len(functions)} with a rule, {len(unknown)} unknown, {time.time() - start:.0f} s",
        file=sys.stderr,
    )
    return {
        "made_from": {"jax": jax.__version__, "optax": optax.__version__, "x64": False},
        "types": maps.maps,
        "functions": dict(sorted(functions.items())),
        "unknown": dict(sorted(unknown.items())),
    }


def write(data, path):
    """Compressed, one function a line; the same data gives the same bytes."""
    lines = ["{", f' "made_from": {json.dumps(data["made_from"])},']
    for section in ("types", "functions", "unknown"):
        items = [
            f"  {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}"
            for name, row in data[section].items()
        ]
        lines += [f' "{section}": {{', ",\n".join(items), " }" + "," * (section != "unknown")]
    Path(path).write_bytes(gzip.compress("\n".join([*lines, "}", ""]).encode(), 9, mtime=0))


def compare(old, new):
    """What another release answers differently, one function a line."""

    def meaning(data, name):
        row = data["functions"].get(name)
        while isinstance(row, str):
            row = data["functions"][row]
        if row is None:
            return None
        types = [
            [
                *how[:2],
                data["types"].get(how[2], how[2]) if isinstance(how[2], str) else how[2],
                *how[3:],
            ]
            for how in row["type"]
        ]
        return {**row, "type": types}

    for name in sorted({*old["functions"], *new["functions"], *old["unknown"], *new["unknown"]}):
        a, b = meaning(old, name), meaning(new, name)
        here = [name in d["functions"] or name in d["unknown"] for d in (old, new)]
        if here == [True, True] and a != b:
            if a is None or b is None:
                before, after = ("no rule" if row is None else row["shape"] for row in (a, b))
                yield f"{name}: {before} -> {after}"
            else:
                parts = [
                    f"{k}: {a.get(k)} -> {b.get(k)}"
                    for k in sorted({*a, *b} - {"type"})
                    if a.get(k) != b.get(k)
                ]
                for i, (x, y) in enumerate(zip(a["type"], b["type"], strict=False)):
                    if isinstance(x[2], dict) and isinstance(y[2], dict):
                        keys = [k for k in sorted({*x[2], *y[2]}) if x[2].get(k) != y[2].get(k)]
                        parts += [
                            f"type of result {i}: "
                            + ", ".join(f"{k}: {x[2].get(k)} -> {y[2].get(k)}" for k in keys)
                        ] * bool(keys)
                        x, y = x[:2] + x[3:], y[:2] + y[3:]
                    parts += [f"type of result {i}: {x} -> {y}"] * (x != y)
                yield f"{name}: " + "; ".join(parts)[:400]
        elif here != [True, True]:
            yield f"{name}: only in {(old if here[0] else new)['made_from']['jax']}"
