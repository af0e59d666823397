"""The state space layer in one kernel: the values and gradients of its definition."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.trainer import cases
from benchmarks.trainer.associative import sequential
from reference_trainer import parallel
from reference_trainer.extras.mamba import fused
from reference_trainer.run import kernels
from reference_trainer.run.presets import PRESETS

ROWS, STEPS, HEADS, CHANNELS, STATE, CHUNK = 2, 72, 2, 16, 16, 32  # the last chunk is filled up
# Compiles in half the time; for tiny inputs.
quick = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
Inputs = dict[str, jax.Array]
SSM = PRESETS["h200_124m"].replace(
    model={"pattern": ("ssm",), "state": 16, "depth": 2},
    compute={"attention": "xla", "ssm": "kernel", "ssm_chunk": 32},
    data={"length": 64},
)


@pytest.fixture(scope="module", autouse=True)
def set_mesh() -> None:
    """None: in a step this runs on each device, within `jax.shard_map`."""


def make(dtype: str = "float32") -> tuple[Inputs, jax.Array]:
    random = np.random.default_rng(0)

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(random.normal(size=shape), dtype)

    inputs = {
        "x_BTHP": normal(ROWS, STEPS, HEADS, CHANNELS),
        "log_decay_BTH": -jnp.exp(normal(ROWS, STEPS, HEADS).astype(jnp.float32) - 1),
        "b_BTN": normal(ROWS, STEPS, STATE),
        "c_BTN": normal(ROWS, STEPS, STATE),
    }
    starts = jnp.zeros((ROWS, STEPS), bool).at[:, 0].set(True).at[0, 40].set(True)
    return inputs, starts.at[0, 45].set(True)


def from_zero(starts_BT: jax.Array, **inputs: jax.Array) -> jax.Array:
    state = jnp.zeros((ROWS, HEADS, CHANNELS, STATE))
    return sequential(starts_BT=starts_BT, state_BHPN=state, **inputs)[0]


def results(form: Callable, inputs: Inputs, starts: jax.Array) -> list[jax.Array]:
    def loss(inputs: Inputs) -> tuple[jax.Array, jax.Array]:
        y = form(starts_BT=starts, **inputs)
        return jnp.sum(jnp.sin(y.astype(jnp.float32))), y

    grads, y = quick(jax.grad(loss, has_aux=True))(inputs)
    return jax.tree.leaves((y, grads))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("bfloat16", 0.03)])
def test_values_and_gradients_are_those_of_the_definition(dtype: str, tolerance: float) -> None:
    inputs, starts = make(dtype)
    wide = {name: x.astype(jnp.float32) for name, x in inputs.items()}
    found = results(functools.partial(fused, chunk=CHUNK), inputs, starts)
    for one, right in zip(found, results(from_zero, wide, starts), strict=True):
        error = np.linalg.norm(one.astype(jnp.float32) - right)
        assert error <= tolerance * np.linalg.norm(right)


def test_a_decay_that_forgets_all_is_no_nan() -> None:
    inputs, starts = make()
    inputs["log_decay_BTH"] = inputs["log_decay_BTH"].at[:, 4::5].set(-1e4)
    found = results(functools.partial(fused, chunk=CHUNK), inputs, starts)
    assert all(bool(jnp.isfinite(one).all()) for one in found)


def test_a_document_knows_nothing_of_the_one_before() -> None:
    inputs, starts = make()

    def later(inputs: Inputs) -> jax.Array:
        return fused(starts_BT=starts, **inputs, chunk=CHUNK)[0, 45:]

    # The sums of decays go on through a document's start: large ones would be rounding errors.
    factors = {name: 1e4 if name != "log_decay_BTH" else 2.0 for name in inputs}
    changed = {name: x.at[0, :45].multiply(factors[name]) for name, x in inputs.items()}
    np.testing.assert_allclose(later(inputs), later(changed), rtol=1e-5, atol=1e-5)
    grads = jax.grad(lambda inputs: jnp.sum(later(inputs) ** 2))(inputs)
    assert not any(np.any(grads[name][0, :45]) for name in ("x_BTHP", "b_BTN", "c_BTN"))


def test_a_step_of_training_agrees_with_the_matrix_form() -> None:
    config = cases.small(width=32, depth=1, batch=1).replace(
        model={"pattern": ("ssm",), "state": 16, "head_width": 16}, compute={"ssm_chunk": 32}
    )
    with jax.set_mesh(parallel.device_mesh()):
        kinds = ("matrices", "kernel")
        first, second = (cases.Training(config.replace(compute={"ssm": kind}))() for kind in kinds)
    np.testing.assert_allclose(first.loss, second.loss, rtol=1e-6)
    np.testing.assert_allclose(first.grad_norm, second.grad_norm, rtol=1e-5)


def test_lowered_for_cuda_it_is_two_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without such a device: the calls are in the text, and nothing of T * chunk for each head."""
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    inputs, starts = make("bfloat16")

    def loss(inputs: Inputs) -> jax.Array:
        return jnp.sum(fused(starts_BT=starts, **inputs, chunk=CHUNK).astype(jnp.float32))

    text = jax.jit(jax.grad(loss)).trace(inputs).lower(lowering_platforms=("cuda",)).as_text()
    assert text.count("custom_call @triton") + text.count("__gpu$xla.gpu.triton") == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"compute": {"dtype": "float32"}}, "bfloat16"),
        ({"model": {"state": 24}}, "model.state"),
        ({"compute": {"ssm_chunk": 8}}, "compute.ssm_chunk"),
    ],
)
def test_what_it_cannot_do_is_said(
    change: dict, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, why = kernels.fitting(SSM)
    assert "needs a GPU" in why and why.startswith("ssm: matrices, because")
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    config, why = kernels.fitting(SSM.replace(**change))
    assert config.compute.ssm == "matrices" and reason in why


def test_the_trial_runs_as_a_step_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """On each device, under an explicit mesh: outside of `shard_map` JAX refuses its layouts."""
    real, tried = kernels._tried, []

    def on_a_cpu(name: str, trial: Callable, *arrays: jax.Array) -> str:
        monkeypatch.undo()
        tried.append(name)
        return real(name, trial, *arrays)

    monkeypatch.setattr(kernels, "_tried", on_a_cpu)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    with jax.set_mesh(parallel.device_mesh()):
        assert kernels.ssm_refusal(SSM) == "" and tried
