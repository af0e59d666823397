"""State space layers: chunks, steps and the definition agree, in values and in gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.trainer.associative import associative, sequential
from reference_trainer.extras.decode import convolve_one, ssd_step
from reference_trainer.extras.mamba import convolve, ssd

Inputs = dict[str, jax.Array]
# Compiles in half the time; for tiny inputs.
quick = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


def make(
    seed: int, rows: int = 2, steps: int = 21, heads: int = 2, width: int = 3, state: int = 4
) -> tuple[Inputs, jax.Array]:
    """What a gradient goes into, and where documents start."""
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(random.normal(size=shape), jnp.float32)

    inputs = {
        "x_BTHP": normal(rows, steps, heads, width),
        "log_decay_BTH": -jnp.exp(normal(rows, steps, heads) - 1),
        "b_BTN": normal(rows, steps, state),
        "c_BTN": normal(rows, steps, state),
        "state_BHPN": normal(rows, heads, width, state),
    }
    return inputs, jnp.asarray(random.random((rows, steps)) < 0.15)


def chunked(chunk: int) -> Callable:
    return functools.partial(ssd, chunk=chunk)


def results(form: Callable, inputs: Inputs, starts: jax.Array) -> dict[str, Any]:
    """Outputs, last state, and the gradients of a loss that uses both."""

    def loss(inputs: Inputs) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        y, state = form(**inputs, starts_BT=starts)
        return jnp.sum(jnp.sin(y)) + jnp.sum(jnp.cos(state)), (y, state)

    grads, (y, state) = quick(jax.grad(loss, has_aux=True))(inputs)
    return {"y": y, "state": state, **grads}


def assert_equal(found: dict[str, Any], expected: dict[str, Any], tolerance: float) -> None:
    for name, right in expected.items():
        error = np.linalg.norm(np.ravel(found[name]) - np.ravel(right))
        assert error <= tolerance * (1e-3 + np.linalg.norm(np.ravel(right))), name


@settings(max_examples=4, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    steps=st.integers(1, 24),
    chunk=st.integers(1, 30),
    heads=st.integers(1, 3),
)
def test_chunks_equal_the_definition(seed: int, steps: int, chunk: int, heads: int) -> None:
    inputs, starts = make(seed, steps=steps, heads=heads)
    found = results(chunked(chunk), inputs, starts)
    assert_equal(found, results(sequential, inputs, starts), 1e-5)


def test_associative_equals_the_definition() -> None:
    inputs, starts = make(0)
    assert_equal(
        results(associative, inputs, starts), results(sequential, inputs, starts), tolerance=1e-5
    )


def test_a_long_row_costs_little_accuracy_and_memory() -> None:
    """1024 steps: gradients to 1e-5 (measured 1e-6), and half the memory (measured 0.05)."""
    inputs, _ = make(0, rows=2, steps=1024, heads=2, width=32, state=16)
    starts = jnp.zeros((2, 1024), bool).at[:, jnp.array([0, 500, 501])].set(True)

    def loss(inputs: Inputs, form: Callable) -> jax.Array:
        y, state = form(**inputs, starts_BT=starts)
        return jnp.sum(jnp.sin(y)) + jnp.sum(state**2)

    def compiled(form: Callable) -> jax.stages.Compiled:
        return jax.jit(jax.grad(functools.partial(loss, form=form))).lower(inputs).compile()

    def temporary(program: jax.stages.Compiled) -> int:
        analysis = program.memory_analysis()
        assert analysis is not None
        return analysis.temp_size_in_bytes

    ours, plain = compiled(chunked(64)), compiled(sequential)
    assert_equal(ours(inputs), plain(inputs), 1e-5)
    assert temporary(ours) < 0.2 * temporary(plain)


@pytest.mark.parametrize("chunk", [4, 32])
def test_decays_that_forget_all_at_once(chunk: int) -> None:
    """exp of minus ten thousand is 0, and of its negative infinite: neither may become NaN."""
    inputs, starts = make(3)
    inputs["log_decay_BTH"] = inputs["log_decay_BTH"].at[:, 4::5].set(-1e4)
    found = results(chunked(chunk), inputs, starts)
    assert all(bool(jnp.isfinite(x).all()) for x in found.values())
    assert_equal(found, results(sequential, inputs, starts), 1e-4)


@pytest.mark.parametrize("form", [chunked(8), sequential])
def test_a_document_knows_nothing_of_the_one_before(form: Callable) -> None:
    """What stood before makes no difference, and no gradient goes back to it."""
    inputs, _ = make(1)
    starts = jnp.zeros((2, 21), bool).at[:, 12].set(True)

    def after(inputs: Inputs) -> tuple[jax.Array, jax.Array]:
        y, state = form(**inputs, starts_BT=starts)
        return y[:, 12:], state

    changed = {name: x.at[:, :12].multiply(1e4) for name, x in inputs.items() if "T" in name}
    changed["state_BHPN"] = inputs["state_BHPN"] + 1e8
    for now, other in zip(quick(after)(inputs), quick(after)(changed), strict=True):
        np.testing.assert_allclose(now, other, rtol=1e-5, atol=1e-5)
    grads = quick(jax.grad(lambda x: sum(jnp.sum(part**2) for part in after(x))))(inputs)
    assert not np.any(grads["state_BHPN"])
    assert not np.any(grads["x_BTHP"][:, :12])
    # A sum of equal terms, in which chunks may leave a rounding error.
    np.testing.assert_allclose(grads["log_decay_BTH"][:, :13], 0, atol=1e-4)


def test_bfloat16_inputs_keep_a_float32_state() -> None:
    inputs, starts = make(2)
    low = {n: x.astype(jnp.bfloat16) if n[0] in "xbc" else x for n, x in inputs.items()}
    y, state = quick(chunked(8))(**low, starts_BT=starts)
    assert (y.dtype, state.dtype) == (jnp.bfloat16, jnp.float32)
    expected_y, expected_state = quick(sequential)(**inputs, starts_BT=starts)
    found = {"y": y.astype(jnp.float32), "state": state}
    assert_equal(found, {"y": expected_y, "state": expected_state}, 0.02)


def test_decoding_equals_the_full_computation() -> None:
    inputs, _ = make(4)
    expected, last = quick(chunked(8))(**inputs, starts_BT=jnp.zeros((2, 21), bool))
    state, step = inputs.pop("state_BHPN"), quick(ssd_step)
    for t in range(21):
        y, state = step(*(x[:, t] for x in inputs.values()), state)
        np.testing.assert_allclose(y, expected[:, t], atol=1e-5)
    np.testing.assert_allclose(state, last, atol=1e-5)


def filtered(x: np.ndarray, kernel: np.ndarray, segments: np.ndarray) -> np.ndarray:
    out = np.zeros(x.shape)
    reach = len(kernel)
    for row, step in np.ndindex(segments.shape):
        for back in range(min(reach, step + 1)):
            if segments[row, step - back] == segments[row, step]:
                out[row, step] += x[row, step - back] * kernel[reach - 1 - back]
    return out


@pytest.mark.parametrize("reach", [1, 2, 4])
def test_convolution_stays_in_its_document(reach: int) -> None:
    random = np.random.default_rng(0)
    x, kernel = random.normal(size=(2, 11, 3)), random.normal(size=(reach, 3))
    segments = np.array([[1] * 5 + [2] * 6, [1, 2, 2, 3, 3, 3, 3, 3, 0, 0, 0]], np.int32)
    out = quick(convolve)(jnp.float32(x), jnp.float32(kernel), jnp.asarray(segments))
    np.testing.assert_allclose(out, filtered(x, kernel, segments), atol=1e-5)


@pytest.mark.parametrize("reach", [1, 4])
def test_convolution_step_by_step(reach: int) -> None:
    x_key, kernel_key = jax.random.split(jax.random.key(0))
    x = jax.random.normal(x_key, (2, 9, 3), jnp.bfloat16)
    kernel = jax.random.normal(kernel_key, (reach, 3))
    expected = quick(convolve)(x, kernel, jnp.ones((2, 9), jnp.int32))
    assert expected.dtype == jnp.bfloat16
    recent, step = jnp.zeros((2, reach - 1, 3), jnp.bfloat16), quick(convolve_one)
    for t in range(9):
        out, recent = step(x[:, t], kernel, recent)
        np.testing.assert_allclose(
            out.astype(jnp.float32), expected[:, t].astype(jnp.float32), rtol=0.01, atol=0.01
        )
