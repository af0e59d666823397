"""`check_gradients` against gradients that are right, wrong, zero, or not finite."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from gotcha_sanitizer import check_gradients  # noqa: E402


def _square(scale: float, dtype=jnp.float32):
    """x**2 whose derivative is off by a factor."""

    @jax.custom_vjp
    def square(x):
        return x**2

    square.defvjp(lambda x: (x**2, x), lambda x, g: ((2 * scale * g * x).astype(dtype),))
    return square


def test_right_gradients_of_a_network():
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(16, 5)), jnp.float32)
    params = {"w": jnp.asarray(rng.normal(size=(5, 8)), jnp.float32), "v": jnp.ones((8, 1))}
    report = check_gradients(lambda p, x: jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"]) ** 2), params, x)
    assert report
    assert all(leaf.error < 1e-3 for leaf in report.leaves)
    assert "agree" in str(report)


@pytest.mark.parametrize("scale", [0.5, 1.2, -1.0, 0.0])
def test_the_wrong_leaf_is_named(scale: float):
    square = _square(scale)
    params = {"good": jnp.ones(2), "wrong": jnp.arange(1.0, 4.0)}
    report = check_gradients(lambda p: square(p["wrong"]).sum() + (p["good"] ** 3).sum(), params)
    assert not report
    assert report.worst is not None
    assert (report.worst.path, report.worst.problem) == ("['wrong']", "wrong")
    assert "['wrong']" in str(report)


def test_zero_is_told_and_no_error():
    report = check_gradients(lambda p: jnp.round(p["z"]).sum() * 0 + p["w"].sum(), {
        "z": jnp.full(2, 0.3), "w": jnp.ones(2)})  # fmt: skip
    assert report
    assert {leaf.path for leaf in report.leaves if leaf.problem == "zero"} == {"['z']"}


def test_non_finite_and_dtype():
    where = check_gradients(lambda p: jnp.where(p > 0, jnp.sqrt(p), 0.0).sum(), jnp.array([1.0, 0]))
    assert where.worst is not None
    assert where.worst.problem == "non-finite"
    half = _square(1.0, jnp.float16)
    report = check_gradients(lambda p: half(p).sum(), jnp.arange(1.0, 4.0))
    assert report.worst is not None
    assert report.worst.problem == "dtype"


def test_bfloat16_parameters():
    params = jnp.asarray([0.5, -1.0, 2.0, 1.5], jnp.bfloat16)
    assert check_gradients(lambda p: (p.astype(jnp.float32) ** 2).sum(), params)
    wrong = _square(0.5)
    assert not check_gradients(lambda p: wrong(p.astype(jnp.float32)).sum(), params)


@pytest.mark.parametrize(
    ("loss", "params", "message"),
    [
        (lambda p: p, jnp.ones(3), r"shape \(3,\)"),
        (lambda p: (p.sum(), 1), jnp.ones(3), "not one number"),
        (lambda p: (p > 0).sum(), jnp.ones(3), "float dtype"),
        (lambda p: p["n"].sum() * 1.0, {"n": jnp.arange(3)}, r"\['n'\] is int32"),
        (lambda p: jnp.abs(p).sum(), jnp.ones(3, jnp.complex64), "only floats"),
    ],
)
def test_bad_losses(loss, params, message: str):
    with pytest.raises(TypeError, match=message):
        check_gradients(loss, params)
