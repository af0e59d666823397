"""Adaptive-step solver whose state keeps one structure and one dtype."""
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class SolverState:
    y: jax.Array
    dt: jax.Array
    accepted: jax.Array
    order: int = dataclasses.field(default=2, metadata=dict(static=True))


def vector_field(y):
    return jnp.stack([y[..., 1], (1 - y[..., 0] ** 2) * y[..., 1] - y[..., 0]], -1)


@jax.jit
def step(state, tol):
    k1 = vector_field(state.y)
    k2 = vector_field(state.y + state.dt * k1)
    error = jnp.max(jnp.abs(0.5 * state.dt * (k2 - k1)))
    ok = error < tol
    scale = jnp.clip((tol / (error + 1e-9)) ** (1 / state.order), 0.5, 1.5)
    y = jnp.where(ok, state.y + 0.5 * state.dt * (k1 + k2), state.y)
    return dataclasses.replace(state, y=y, dt=state.dt * scale,
                               accepted=state.accepted + ok.astype(jnp.int32))


def initial_state(mesh, n=8, seed=0):
    y = np.random.default_rng(seed).normal(size=(n, 2)).astype(np.float32)
    rep = NamedSharding(mesh, P())
    return SolverState(jax.device_put(y, NamedSharding(mesh, P("batch"))),
                       jax.device_put(np.float32(0.05), rep),
                       jax.device_put(np.int32(0), rep))


if __name__ == "__main__":
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    state = initial_state(mesh)
    for _ in range(40):
        state = step(state, np.float32(1e-2))
    print(len(jax.devices()), int(state.accepted), float(state.dt), step._cache_size())
