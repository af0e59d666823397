"""Number formats: int8 in training, sums in float32, copies in another type."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_trainer.extras.int8 import fake_quantise
from reference_trainer.precision import aligned, einsum32, product
from reference_trainer.run.report import padding_report

rows = st.lists(
    st.lists(st.floats(-(2.0**99), 2.0**99, width=32), min_size=3, max_size=3),
    min_size=2,
    max_size=2,
)


def values() -> jax.Array:
    return jax.random.normal(jax.random.key(0), (16, 8))


@settings(deadline=None)  # the first call compiles
@given(rows)
def test_error_is_at_most_half_a_step(values: list[list[float]]) -> None:
    x = np.asarray(values, np.float32)
    out = np.asarray(fake_quantise(jnp.asarray(x), axis=1), np.float64)
    tiny = np.finfo(np.float32).tiny
    step = np.maximum(np.abs(x).max(axis=1, keepdims=True).astype(np.float64) / 127, tiny)
    assert np.all(np.abs(out - x) <= 0.5001 * step)
    assert np.all(np.abs(out / step) <= 127.001)
    np.testing.assert_allclose(out / step, np.round(out / step), atol=1e-3)  # whole steps


def test_each_channel_has_its_own_scale() -> None:
    x = values() * jnp.logspace(-6, 0, 8)
    out = fake_quantise(x, axis=0)
    np.testing.assert_allclose(jnp.abs(out).max(axis=0), jnp.abs(x).max(axis=0), rtol=1e-6)
    assert all(len(np.unique(column)) > 8 for column in np.asarray(out).T)


def test_the_gradient_goes_straight_through() -> None:
    x, weights = values(), jnp.arange(128.0).reshape(16, 8)
    grad = jax.grad(lambda x: jnp.sum(fake_quantise(x, axis=0) * weights))(x)
    np.testing.assert_array_equal(grad, weights)


def test_what_is_often_written_teaches_one_element_only() -> None:
    """The claim of the docstring."""

    def broken(x: jax.Array) -> jax.Array:
        scale = jnp.max(jnp.abs(x)) / 127
        return jnp.round(x / scale) * scale

    x = values()
    grad = np.asarray(jax.grad(lambda x: jnp.sum(broken(x) ** 2))(x))
    assert np.flatnonzero(grad) == [np.abs(x).argmax()]
    assert np.isnan(broken(jnp.zeros(3))).all()


def test_zeros_stay_zeros() -> None:
    value, grad = jax.value_and_grad(lambda x: jnp.sum(fake_quantise(x, axis=-1)))(
        jnp.zeros((2, 3))
    )
    assert value == 0
    np.testing.assert_array_equal(grad, np.ones((2, 3)))


def test_bfloat16_in_and_out_compiled_or_not() -> None:
    x = values().astype(jnp.bfloat16)
    out = fake_quantise(x, axis=0)
    assert out.dtype == jnp.bfloat16
    np.testing.assert_array_equal(jax.jit(fake_quantise, static_argnums=1)(x, 0), out)
    step = jnp.abs(x).max(axis=0).astype(jnp.float32) / 127
    error = jnp.abs(out.astype(jnp.float32) - x.astype(jnp.float32))
    assert bool(jnp.all(error <= 0.5 * step + jnp.abs(x.astype(jnp.float32)) * 2**-7))


def test_products_are_summed_in_float32() -> None:
    """A sum of 4096 ones in bfloat16 would stop at 256."""
    ones = jnp.ones((1, 4096), jnp.bfloat16)
    out = einsum32("ij,kj->ik", ones, ones)
    assert out.dtype == jnp.float32
    assert out.item() == 4096


def test_a_product_sums_in_float32_and_writes_what_it_was_given() -> None:
    """Sums of 4097 ones: bfloat16 would stop at 256, and has no 4097."""
    rows = jnp.ones((4097, 8), jnp.bfloat16)
    out = jax.jit(product)(rows.T, jnp.ones((4097, 8)))
    assert (out.dtype, float(out[0, 0])) == (jnp.bfloat16, 4096.0)
    total = jax.jit(jax.grad(lambda x, k: product(x, k).astype("f4").sum(), argnums=(0, 1)))
    x_grad, kernel_grad = total(rows, jnp.ones((8, 8)))
    assert (x_grad.dtype, kernel_grad.dtype) == (jnp.bfloat16, jnp.float32)
    assert float(kernel_grad[0, 0]) == 4097.0


@pytest.mark.parametrize("shape", [(5, 8), (2, 3, 8)])
def test_a_product_has_the_gradient_of_a_product(shape: tuple[int, ...]) -> None:
    x = jax.random.normal(jax.random.key(0), shape)
    kernel = jax.random.normal(jax.random.key(1), (8, 4))
    exact = jax.grad(lambda x, k: jnp.sum(jnp.sin(x @ k)), argnums=(0, 1))(x, kernel)
    low = jax.grad(
        lambda x, k: jnp.sum(jnp.sin(product(x, k).astype(jnp.float32))), argnums=(0, 1)
    )(x.astype(jnp.bfloat16), kernel)
    for found, expected in zip(low, exact, strict=True):
        assert found.shape == expected.shape
        error = jnp.linalg.norm(found - expected) / jnp.linalg.norm(expected)
        assert float(error) < 0.02


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_products_of_the_backward_pass_have_the_type_of_the_inputs(dtype: str) -> None:
    x = jax.ShapeDtypeStruct((8, 8), jnp.dtype(dtype))
    grad = jax.grad(lambda a, b: jnp.sum(einsum32("ij,jk->ik", a, b) ** 2), argnums=(0, 1))
    lines = jax.jit(grad).lower(x, x).as_text().splitlines()
    products = [line for line in lines if "dot_general" in line]
    assert len(products) == 3
    narrow = [re.search(r"\(tensor<8x8xbf16>, tensor<8x8xbf16>\)", line) for line in products]
    assert all(narrow) if dtype == "bfloat16" else not any(narrow)


def test_no_product_names_its_algorithm() -> None:
    """A named one is not computed by cuBLAS: 9 % of a step of GPT-2's shape, on an H100."""
    text = jax.jit(jax.grad(lambda x, k: product(x, k).sum().astype("f4"))).lower(
        jnp.ones((8, 8), jnp.bfloat16), jnp.ones((8, 8))
    )
    assert "dot_general" in text.as_text()
    assert "algorithm" not in text.as_text()


@pytest.mark.parametrize(("size", "expected"), [(1, 8), (8, 8), (9, 16), (287, 288)])
def test_aligned(size: int, expected: int) -> None:
    assert aligned(size) == expected


def test_padding_is_reported_with_its_price() -> None:
    lines = padding_report({"width": 287, "heads": 64, "vocabulary": 250}, 64)
    assert [line.split(":")[0] for line in lines] == [
        "width is 287, not a multiple of 64",
        "vocabulary is 250, not a multiple of 64",
    ]
    assert "320 would be 11.5% more" in lines[0]
    assert padding_report({"width": 288}) == []
