"""Three forms of the state space layer: chunks of matrix products, step by step, and as a tree."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import optax

from benchmarks.trainer import cases, clock
from benchmarks.trainer.associative import associative, sequential
from benchmarks.trainer.row import Row, Size
from reference_trainer import metrics
from reference_trainer.extras.mamba import ssd

SECONDS = {"cpu": 120, "gpu": 45}
Form = Callable[..., tuple[jax.Array, jax.Array]]


def measure(size: Size) -> Iterator[Row]:
    # Axes: B rows, T steps, H heads, P channels of a head, N state.
    shape = size.pick((1, 64, 2, 8, 8), (4, 1024, 4, 64, 16), (4, 1024, 24, 64, 64))
    chunk = size.pick(16, 64, 128)
    inputs = _inputs(*shape)
    forms: dict[str, Form] = {
        "ssd": functools.partial(ssd, chunk=chunk),
        "sequential": sequential,
        "associative": associative,
    }
    compiled = {name: _gradient(form).lower(*inputs).compile() for name, form in forms.items()}
    memory = {name: metrics.memory(program)["temporary"] for name, program in compiled.items()}
    gradients = {name: program(*inputs) for name, program in compiled.items()}
    seconds = clock.best(
        {name: lambda p=program: p(*inputs) for name, program in compiled.items()}, size.rounds
    )
    length = inputs[0].shape[1]
    errors = jax.tree.map(jnp.subtract, gradients["ssd"], gradients["sequential"])
    error = float(optax.tree.norm(errors) / optax.tree.norm(gradients["sequential"]))
    yield Row(f"relative error of the gradients, ssd, L={length}", error, "", "<= 1e-3")
    for other, time, space in _targets(size):
        ms = f"{seconds['ssd'] * 1e3:.1f} and {seconds[other] * 1e3:.1f} ms"
        yield Row(f"time, ssd / {other}", seconds["ssd"] / seconds[other], "x", time, ms)
        mib = f"{memory['ssd'] / cases.MIB:.0f} and {memory[other] / cases.MIB:.0f} MiB"
        ratio = memory["ssd"] / memory[other]
        yield Row(f"temporary memory, ssd / {other}", ratio, "x", space, mib)


def _targets(size: Size) -> list[tuple[str, str, str]]:
    sequential_time, associative_time, space = size.pick(
        ("", "", ""), ("<= 0.7", "", "<= 0.5"), ("", "<= 0.25", "")
    )
    return [("sequential", sequential_time, space), ("associative", associative_time, "")]


def _inputs(rows: int, steps: int, heads: int, channels: int, state: int) -> tuple[jax.Array, ...]:
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(rng.normal(size=shape), jnp.float32)

    starts_BT = jnp.asarray(rng.random((rows, steps)) < 0.01)
    log_decay_BTH = -jax.nn.softplus(normal(rows, steps, heads))
    b_BTN, c_BTN = normal(rows, steps, state), normal(rows, steps, state)
    state_BHPN = jnp.zeros((rows, heads, channels, state))
    return normal(rows, steps, heads, channels), log_decay_BTH, b_BTN, c_BTN, starts_BT, state_BHPN


def _gradient(form: Form) -> jax.stages.Wrapped:
    def loss(*inputs: jax.Array) -> jax.Array:
        y_BTHP, _ = form(*inputs)
        return jnp.sum(y_BTHP**2)

    return jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3)))
