"""Export in int8: the numbers that the model was trained with, in a quarter of the bytes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer.extras import export, int8
from tests.reference_trainer.support import TINY, hidden, init, some_batch

CONFIG = TINY.replace(
    model={"width": 64, "depth": 2, "pattern": ("attention",)}, compute={"quantise": "int8"}
)


@pytest.mark.parametrize("layers", ["scan", "unroll"])
def test_the_matrices_are_those_of_training(layers):
    params = init(jax.random.key(0), config=CONFIG.replace(compute={"layers": layers}))
    small = int8.packed(params)
    found = jax.tree.leaves_with_path(int8.unpacked(small))
    for (path, leaf), original in zip(found, jax.tree.leaves(params), strict=True):
        if "kernel" in jax.tree_util.keystr(path):
            expected = int8.fake_quantise(original, axis=-2)
            np.testing.assert_allclose(leaf, expected, rtol=1e-6, atol=1e-8)
        else:
            np.testing.assert_array_equal(leaf, original)
    kinds = {part.dtype for part in jax.tree.leaves(small)}
    assert jnp.dtype(jnp.int8) in kinds


def test_a_model_that_was_trained_so_gives_the_same():
    params, batch = init(jax.random.key(0), config=CONFIG), some_batch(CONFIG)
    exact = hidden(params, batch, CONFIG)
    np.testing.assert_allclose(
        hidden(int8.unpacked(int8.packed(params)), batch, CONFIG), exact, atol=0.02
    )
    other = hidden(params, batch, CONFIG.replace(compute={"quantise": "none"}))
    assert float(jnp.abs(other - exact).max()) > 1e-3  # int8 does make a difference


def test_the_file_is_smaller_and_runs(tmp_path):
    pytest.importorskip("flatbuffers")
    params = init(jax.random.key(0), config=CONFIG)
    sizes = {}
    for kind in (False, True):
        path = tmp_path / f"model-{kind}"
        export.write(params, CONFIG, path, int8=kind)
        sizes[kind] = (tmp_path / f"model-{kind}.npz").stat().st_size
    assert sizes[True] < 0.4 * sizes[False]
    made = jax.export.deserialize(bytearray((tmp_path / "model-True").read_bytes()))
    inputs = some_batch(CONFIG).inputs
    (found,) = made.call(int8.packed(params), inputs)
    (expected,) = export.forward(params, inputs, CONFIG)
    np.testing.assert_allclose(found, expected, atol=0.05)
