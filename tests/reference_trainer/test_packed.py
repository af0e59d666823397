"""Flash attention for packed rows: the dense values, no block of another document, no copies."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer.extras import packed
from reference_trainer.model.layers import attend
from reference_trainer.run import kernels
from tests.reference_trainer.test_attention import wanted

STEPS, HEADS, WIDTH = 192, 2, 16  # three blocks; not a power of two
SEGMENTS = jnp.stack(
    [
        jnp.repeat(jnp.array([1, 2, 3, 0]), jnp.array([70, 60, 40, 22])),
        jnp.repeat(jnp.array([1, 2]), jnp.array([128, 64])),
    ]
)


@pytest.fixture(scope="module", autouse=True)
def set_mesh() -> None:
    """None: in a step this runs on each device, within `jax.shard_map`."""


def qkv(dtype: str = "float32") -> list[jax.Array]:
    return list(jax.random.normal(jax.random.key(0), (3, 2, STEPS, HEADS, WIDTH)).astype(dtype))


def mixed(kind: str, window: int, arrays: list[jax.Array]) -> jax.Array:
    q, k, v = arrays
    return attend(q, k, v, SEGMENTS, kind=kind, window=window, chunk=64, packed=True)


@pytest.mark.parametrize("window", [0, 30])
def test_values_and_gradients_are_those_of_dense_attention(window):
    def results(kind: str) -> tuple:
        def loss(arrays: list[jax.Array]) -> tuple[jax.Array, jax.Array]:
            out = mixed(kind, window, arrays)
            return jnp.sum(jnp.sin(3 * out)), out

        return jax.jit(jax.grad(loss, has_aux=True))(qkv())

    found, expected = results("packed"), results("xla")
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, atol=2e-5)


def test_blocks_of_other_documents_are_never_read():
    """What is in them is NaN: a mask would let it through, as 0 * NaN."""
    q, k, v = qkv()
    bad = jnp.arange(STEPS)[None, :, None, None] < 128
    k, v = jnp.where(bad, jnp.nan, k), jnp.where(bad, jnp.nan, v)
    out = mixed("packed", 0, [q, k, v])
    assert bool(jnp.isfinite(out[1, 128:]).all())
    assert not jnp.isfinite(mixed("xla", 0, [q, k, v])[1, 128:]).any()


def test_the_tables_are_as_narrow_as_the_documents():
    first, last = packed.reach(SEGMENTS, 0)
    assert first.tolist() == [[0, 0, 1], [0, 0, 2]]
    assert last.tolist() == [[1, 2, 2], [1, 1, 2]]
    first, last = packed.reach(jnp.ones((1, 4 * packed.BLOCK), jnp.int32), packed.BLOCK)
    assert first.tolist() == [[0, 0, 1, 2]]
    assert last.tolist() == [[1, 2, 3, 3]]


def test_lowered_for_cuda_it_is_three_kernels_and_no_copy(monkeypatch):
    """Without such a device: the calls are in the text. Nothing has T * T elements."""
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")

    def loss(arrays: list[jax.Array]) -> jax.Array:
        return jnp.sum(mixed("packed", 0, arrays).astype(jnp.float32))

    traced = jax.jit(jax.grad(loss)).trace(qkv("bfloat16"))
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert len(re.findall(r"custom_call @__gpu\$xla\.gpu\.triton", text)) == 3
    assert "stablehlo.transpose" not in text
    assert not re.search(rf"tensor<(?:\d+x)*{STEPS}x{STEPS}x", text)


@pytest.mark.parametrize(
    ("width", "batching", "reason"),
    [(48, "pack", "16, 32, 64 or 128, not 48"), (64, "bucket", "data.batching=pack")],
)
def test_reasons_against_it(monkeypatch, width, batching, reason):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert reason in kernels.refusal(wanted("packed", "bfloat16", width, batching))


def test_without_a_gpu_it_is_not_used():
    config, why = kernels.fitting(wanted("packed", "bfloat16", 64))
    assert config.compute.attention == "xla"
    assert "packed attention needs a GPU" in why
