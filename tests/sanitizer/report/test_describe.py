"""`describe` lists every kind of leaf and raises for none."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer import describe  # noqa: E402


def _rows(tree):
    return {row.path: row for row in describe(tree).rows}


def test_values():
    rows = _rows({"w": jnp.array([1.0, jnp.nan, -jnp.inf, -3.0]), "b": jnp.ones(2, jnp.bfloat16)})
    row = rows["['w']"]
    assert (row.nans, row.infs, row.low, row.high, row.mean) == (1, 1, -3.0, 1.0, 2.0)
    assert row.bytes == 16
    assert not row.finite
    assert (rows["['b']"].low, rows["['b']"].dtype) == (1.0, "bfloat16")


def test_weak_type_and_commitment():
    rows = _rows({"weak": jnp.array(0.0) * 1, "put": jax.device_put(1.0, jax.devices()[0])})
    assert rows["['weak']"].weak
    assert not rows["['weak']"].committed
    assert rows["['put']"].committed


def test_what_has_no_values():
    gone = jnp.ones(3) + 0
    gone.delete()
    tree = {"key": jax.random.key(0), "gone": gone, "none": None, "text": "abc", "s": 1.5}
    rows = _rows({**tree, "empty": jnp.zeros((0, 3)), "strings": np.array(["a"])})
    assert rows["['key']"].note == "random key"
    assert rows["['gone']"].note == "deleted"
    assert rows["['none']"].note == rows["['text']"].note == "no array"
    assert rows["['s']"].high == 1.5
    assert rows["['empty']"].low is None


def test_traced():
    seen = []

    @jax.jit
    def step(params):
        seen.append(str(describe(params)))
        return params["w"]

    step({"w": jnp.ones(3)})
    assert "traced" in seen[0]


def test_table_and_total():
    lines = str(describe([jnp.ones(4), np.arange(4, dtype=np.int32)])).splitlines()
    assert lines[0].startswith("leaf")
    assert "float32[4]" in lines[1]
    assert lines[-1] == "2 leaves, 32 B"
    assert str(describe(jnp.ones(1))).endswith("\n1 leaf, 4 B")
