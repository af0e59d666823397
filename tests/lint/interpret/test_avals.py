"""The generated table of result types against the JAX that is installed."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from benchmarks.avals import probe
from benchmarks.avals.check import check
from benchmarks.avals.generate import write
from gotcha_lint.facts.avals.table import DATA, table
from gotcha_lint.facts.avals.values import Aval, Dim, Refused, Unknown

CORE = ("jax.numpy.", "jax.nn.", "jax.Array.")  # the same in all supported releases, but for a few
FUNCTIONS = probe.functions()[0]
NAMES = sorted(name for name in table().rows if name in FUNCTIONS and name.startswith(CORE))
OTHER_IN_OLDER_RELEASES = {"jax.numpy.log2", "jax.numpy.polyval", "jax.numpy.hypot"}
SAMPLE = random.Random(7).sample([n for n in NAMES if n not in OTHER_IN_OLDER_RELEASES], 40)


@pytest.mark.parametrize("name", SAMPLE)
def test_rows_agree_with_jax(name: str) -> None:
    tally, wrong = check(table(), name, FUNCTIONS[name], 6, 1)
    assert not wrong
    assert tally["accepted"]


def test_the_table_says_what_it_was_made_from() -> None:
    assert set(table().data["made_from"]) == {"jax", "optax", "x64"}
    assert len(table().rows) > 600


def test_writing_gives_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "avals.json.gz"
    write(table().data, path)
    assert json.loads(gzip.decompress(path.read_bytes())) == table().data
    assert gzip.decompress(path.read_bytes()) == gzip.decompress(DATA.read_bytes())


def test_symbols_stay_symbols() -> None:
    n = Dim.symbol("n")
    doubled = table().result("jax.numpy.concatenate", ((Aval((n, 3), "float32"),) * 2,))
    assert doubled == Aval((n * 2, 3), "float32")
    halved = table().result("jax.numpy.reshape", (Aval((n * 6,), "float32"), (3, -1)))
    assert halved == Aval((3, n * 2), "float32")


def test_what_is_not_decided_is_unknown() -> None:
    n, m = Aval((Dim.symbol("n"),), "float32"), Aval((Dim.symbol("m"),), "float32")
    assert isinstance(table().result("jax.numpy.add", (n, m)), Unknown)
    assert isinstance(table().result("jax.numpy.no_such_function", (n,)), Unknown)
    three, four = Aval((3,), "float32"), Aval((4,), "float32")
    assert isinstance(table().result("jax.numpy.add", (three, four)), Refused)
