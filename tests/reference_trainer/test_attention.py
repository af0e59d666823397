"""Attention: every kind equals the definition, one document at a time."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer.config import Config
from reference_trainer.extras.decode import Cache, attend_one
from reference_trainer.model.attention import rotate
from reference_trainer.model.layers import attend
from reference_trainer.run import kernels

ROWS, STEPS, HEADS, WIDTH = 2, 37, 2, 8
# Documents of several lengths, the second row with padding.
SEGMENTS = jnp.stack(
    [
        jnp.repeat(jnp.array([1, 2, 3]), jnp.array([9, 20, 8])),
        jnp.repeat(jnp.array([1, 2, 0]), jnp.array([16, 12, 9])),
    ]
)
on_gpu = pytest.mark.skipif(jax.default_backend() == "gpu", reason="the kernel can run here")


# Compiles in half the time; for tiny inputs.
quick = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


@pytest.fixture(scope="module", autouse=True)
def set_mesh() -> None:
    """None: in a step this runs on each device, within `jax.shard_map`."""


def qkv() -> tuple[jax.Array, jax.Array, jax.Array]:
    q, k, v = jax.random.normal(jax.random.key(0), (3, ROWS, STEPS, HEADS, WIDTH))
    return q, k, v


def run(kind: str, *, window: int = 0, chunk: int = 16, packed: bool = True) -> Any:
    return functools.partial(attend, kind=kind, window=window, chunk=chunk, packed=packed)


def defined(q: np.ndarray, k: np.ndarray, v: np.ndarray, window: int) -> np.ndarray:
    """Query by query, head by head."""
    out = np.zeros(q.shape)
    for row, step, head in np.ndindex(q.shape[:3]):
        seen = [
            s
            for s in range(step + 1)
            if SEGMENTS[row, s] == SEGMENTS[row, step] and (not window or step - s <= window)
        ]
        weights = np.exp(k[row, seen, head] @ q[row, step, head] / np.sqrt(q.shape[-1]))
        out[row, step, head] = weights @ v[row, seen, head] / weights.sum()
    return out


@pytest.mark.parametrize("window", [0, 5, 100])
@pytest.mark.parametrize(("kind", "chunk"), [("xla", 8), ("chunked", 16), ("chunked", 64)])
def test_equals_the_definition(kind: str, chunk: int, window: int) -> None:
    q, k, v = qkv()
    expected = defined(np.asarray(q), np.asarray(k), np.asarray(v), window)
    out = quick(run(kind, window=window, chunk=chunk))(q, k, v, SEGMENTS)
    np.testing.assert_allclose(out, expected, atol=1e-5)


def gradients(kind: str, segments: jax.Array, scale: float = 1.0, **settings: Any) -> list:
    def loss(qkv: list[jax.Array]) -> jax.Array:
        return jnp.sum(jnp.sin(3 * run(kind, **settings)(*qkv, segments)))

    return quick(jax.grad(loss))([scale * x for x in qkv()])


@pytest.mark.parametrize(("chunk", "window"), [(7, 0), (16, 0), (7, 5)])
def test_gradients_of_chunked_equal_those_of_xla(chunk: int, window: int) -> None:
    """37 steps are no multiple of the chunk; the first row has no padding for what fills it up."""

    found = gradients("chunked", SEGMENTS, chunk=chunk, window=window)
    expected = gradients("xla", SEGMENTS, window=window)
    for grad, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(grad, right, atol=1e-5)


@pytest.mark.parametrize("kind", ["xla", "chunked"])
def test_a_packed_document_equals_the_document_alone(kind: str) -> None:
    q, k, v = qkv()
    alone = quick(
        lambda q, k, v, positions, segments: run(kind)(
            rotate(q, positions), rotate(k, positions), v, segments
        )
    )
    lengths = [9, 20, 8]
    positions = jnp.concatenate([jnp.arange(length) for length in lengths])
    packed = alone(q, k, v, jnp.stack([positions, positions]), SEGMENTS)
    for end, length in zip(np.cumsum(lengths), lengths, strict=True):
        document = [x[:1, end - length : end] for x in (q, k, v)]
        expected = alone(*document, jnp.arange(length)[None], jnp.ones((1, length), jnp.int32))
        np.testing.assert_allclose(packed[:1, end - length : end], expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["xla", "chunked"])
def test_padding_is_finite(kind: str) -> None:
    """Equal scores everywhere, or none that counts: no 0 / 0, forward or backward."""
    for grads in (gradients(kind, 0 * SEGMENTS, scale=0.0), gradients(kind, SEGMENTS, scale=1e4)):
        assert all(bool(jnp.isfinite(x).all()) for x in grads)


def test_bfloat16_is_close_and_stays_bfloat16() -> None:
    q, k, v = qkv()
    for kind in ("xla", "chunked"):
        mixed = quick(run(kind))
        low = mixed(*(x.astype(jnp.bfloat16) for x in (q, k, v)), SEGMENTS)
        assert low.dtype == jnp.bfloat16
        expected = mixed(q, k, v, SEGMENTS)
        np.testing.assert_allclose(low.astype(jnp.float32), expected, atol=0.05)


@pytest.mark.parametrize("window", [0, 4])
def test_decoding_equals_the_full_computation(window: int) -> None:
    """The cache is longer than the row: what was not written yet is not seen."""
    q, k, v = qkv()
    expected = quick(run("xla", window=window))(q, k, v, jnp.ones((ROWS, STEPS), jnp.int32))
    empty = jnp.full((ROWS, HEADS, STEPS + 5, WIDTH), 7.0)
    step = quick(functools.partial(attend_one, window=window))
    cache, outs = Cache(empty, empty), []
    for t in range(STEPS):
        out, cache = step(q[:, t], k[:, t], v[:, t], cache, jnp.int32(t))
        outs.append(out)
    np.testing.assert_allclose(jnp.stack(outs, axis=1), expected, atol=1e-5)


def test_rotation_knows_distances_only() -> None:
    q, k, _ = qkv()
    near = jnp.arange(STEPS)[None]

    @quick
    def scores(positions: jax.Array) -> jax.Array:
        return jnp.einsum("BTHK,BSHK->BHTS", rotate(q, positions), rotate(k, positions))

    np.testing.assert_allclose(scores(near), scores(near + 1000), atol=2e-3)
    assert not np.allclose(scores(near), scores(2 * near), atol=0.1)


def test_chunked_needs_a_fraction_of_the_memory() -> None:
    """Of a gradient over 4096 steps with four heads; measured 0.05."""

    def temporary(kind: str) -> int:
        shape = jax.ShapeDtypeStruct((1, 4096, 4, 8), jnp.float32)
        segments = jax.ShapeDtypeStruct((1, 4096), jnp.int32)
        mixed = run(kind, chunk=128)
        grad = jax.jit(jax.grad(lambda q, k, v, s: jnp.sum(mixed(q, k, v, s) ** 2), (0, 1, 2)))
        analysis = grad.lower(shape, shape, shape, segments).compile().memory_analysis()
        assert analysis is not None
        return analysis.temp_size_in_bytes

    assert temporary("chunked") < 0.1 * temporary("xla")


@pytest.mark.parametrize("kind", ["xla", "chunked"])
def test_the_program_does_not_grow_with_the_mask(kind: str) -> None:
    def text(steps: int) -> int:
        shape = jax.ShapeDtypeStruct((1, steps, 1, 8), jnp.float32)
        segments = jax.ShapeDtypeStruct((1, steps), jnp.int32)
        mixed = jax.jit(run(kind, chunk=steps // 4))
        lowered = mixed.lower(shape, shape, shape, segments)
        return len(lowered.as_text())

    assert text(512) < 1.2 * text(64)


def test_queries_are_scaled_and_not_their_scores() -> None:
    """A CPU writes the factor out in a scan: a number for each score, forward and back."""

    def loss(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        return jnp.sum(run("xla")(q, k, v, SEGMENTS))

    program = jax.make_jaxpr(jax.grad(loss, argnums=(0, 1, 2)))(*qkv())
    shape = (ROWS, HEADS, STEPS, STEPS)
    factors = [
        factor
        for eqn in program.eqns
        if eqn.primitive.name == "mul" and eqn.outvars[0].aval.shape == shape
        for factor in eqn.invars
        if not getattr(factor.aval, "shape", shape)
    ]
    assert factors == []


@pytest.mark.parametrize(("window", "packed"), [(0, True), (0, False), (5, True), (5, False)])
def test_flash_is_asked_for_the_same_thing(
    monkeypatch: pytest.MonkeyPatch, window: int, packed: bool
) -> None:
    """Its arguments, given to the implementation that runs anywhere."""
    real = jax.nn.dot_product_attention

    def anywhere(*arrays: jax.Array, **settings: Any) -> jax.Array:
        assert settings.pop("implementation") == "cudnn"
        return real(*arrays, **settings, implementation="xla")

    monkeypatch.setattr(jax.nn, "dot_product_attention", anywhere)
    q, k, v = qkv()
    segments = SEGMENTS if packed else jnp.minimum(SEGMENTS[1:], 1).repeat(ROWS, axis=0)
    out = quick(run("cudnn", window=window, packed=packed))(q, k, v, segments)
    counts = np.asarray(segments > 0)
    expected = quick(run("xla", window=window))(q, k, v, segments)
    np.testing.assert_allclose(out[counts], expected[counts], atol=1e-5)


def wanted(kind: str, dtype: str, width: int, batching: str = "pack") -> Config:
    return Config().replace(
        model={"width": 2 * width, "head_width": width},
        compute={"attention": kind, "dtype": dtype},
        data={"batching": batching},
    )


def test_what_was_requested_is_used_without_a_word() -> None:
    for kind in ("xla", "chunked"):
        assert kernels.refusal(wanted(kind, "float32", 8)) == ""


@pytest.mark.parametrize(
    ("backend", "dtype", "width", "reason"),
    [
        ("cpu", "bfloat16", 64, "needs a GPU, and JAX runs on the cpu"),
        ("gpu", "float32", 64, "not in float32"),
        ("gpu", "bfloat16", 36, "multiple of 8, not 36"),
    ],
)
def test_reasons_against_flash(
    monkeypatch: pytest.MonkeyPatch, backend: str, dtype: str, width: int, reason: str
) -> None:
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    assert reason in kernels.refusal(wanted("cudnn", dtype, width))


@on_gpu
@pytest.mark.parametrize("packed", [True, False])
def test_a_failing_trial_is_a_reason_not_an_error(
    monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    why = kernels.refusal(wanted("cudnn", "bfloat16", 64, "pack" if packed else "bucket"))
    assert why.startswith("cuDNN attention failed in a trial: ")
    assert len(why.splitlines()) == 1


def test_the_trial_is_of_the_rows_and_the_window_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kernel that refuses these only is not met in the first step."""

    def picky(queries, keys, window: int, packed: bool):
        if (window, queries.q_BTHK.shape[1]) == (24, 192):
            raise RuntimeError("no window of 24\nmore")  # as XLA refuses
        return queries.q_BTHK

    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr("reference_trainer.model.attention.flash", picky)
    config = Config().replace(compute={"attention": "cudnn", "dtype": "bfloat16"})
    assert kernels.fitting(config) == (config, "")
    windowed = config.replace(model={"window": 24}, data={"length": 192})
    found, why = kernels.fitting(windowed)
    assert found.compute.attention == "xla"
    assert why.endswith("failed in a trial: no window of 24")


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="'flash': one of xla, chunked, cudnn, packed"):
        attend(*qkv(), SEGMENTS, kind="flash", window=0, chunk=8, packed=True)
