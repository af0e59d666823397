"""What was pickled is named: dtype, shape, how many devices, and whether it may be a key."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from gotcha_sanitizer.checks.device_array_pickled import DeviceArrayPickled
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.session import Session
from gotcha_sanitizer.values.events import Pickled
from gotcha_sanitizer.values.parts import Site
from tests.sanitizer.inside import problems

LINE = Site("train.py", 7, "main")


def test_pickled_arrays_are_named_by_dtype_shape_and_placement():
    one = Pickled(1.0, (64,), "float32", 256, LINE, "pickle")
    others = (
        replace(one, shape=(8, 4), dtype="bfloat16", devices=4),
        replace(one, shape=(2,), dtype="uint32"),
        replace(one, shape=(3,), dtype="uint32"),
        replace(one, shape=(5,), dtype="uint32"),
    )
    check = DeviceArrayPickled(Options())
    *_, last = [found for event in (one, *others) for found in check.on(event)]
    kinds = ["float32[64]", "bfloat16[8,4] on 4 devices", "uint32[2] (the shape of a random key)"]
    assert last.message.endswith(f"; {', '.join(kinds)} and 2 more")
    assert last.evidence["arrays"] == [*kinds, "uint32[3]", "uint32[5]"]


def test_in_a_run(running: Session):
    jax = pytest.importorskip("jax")
    copies = pickle.dumps([jax.numpy.ones((2, 3)), jax.random.key(0)])
    assert len(copies) > 100
    message = problems(running)["device-array-pickled/"]
    assert message.endswith("; float32[2,3], uint32[2] (the shape of a random key)")
