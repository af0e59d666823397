"""Multistep diffusion sampler in bfloat16 with a scan over the time steps."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.tree_util.register_dataclass, data_fields=["alphas", "prev_output"], meta_fields=[])
@dataclass
class SchedulerState:
    alphas: jax.Array
    prev_output: jax.Array


class MultistepScheduler:
    def __init__(self, num_train_steps=1000, beta_start=1e-4, beta_end=0.02):
        betas = np.linspace(beta_start, beta_end, num_train_steps)
        self.alphas_cumprod = np.cumprod(1.0 - betas)

    def create_state(self, shape, dtype):
        return SchedulerState(jnp.asarray(self.alphas_cumprod, dtype), jnp.zeros(shape, dtype))

    def step(self, state, eps, t, t_prev, sample):
        a_t = self.alphas_cumprod_at(state, t)
        a_prev = self.alphas_cumprod_at(state, t_prev)
        mixed = 1.5 * eps - 0.5 * state.prev_output
        x0 = (sample - jnp.sqrt(1 - a_t) * mixed) / jnp.sqrt(a_t)
        prev = jnp.sqrt(a_prev) * x0 + jnp.sqrt(1 - a_prev) * mixed
        return SchedulerState(state.alphas, eps), prev.astype(sample.dtype)

    def alphas_cumprod_at(self, state, t):
        return jnp.where(t >= 0, jnp.asarray(self.alphas_cumprod, jnp.float32)[t], 1.0)


def denoiser(params, x, t):
    emb = jnp.sin(t / 1000.0 * params["freq"]).astype(x.dtype)
    return jnp.tanh(x @ params["w1"] + emb) @ params["w2"]


@partial(jax.jit, static_argnames=("scheduler", "num_steps"))
def sample(params, key, scheduler, num_steps, batch=4, dim=8):
    dtype = params["w1"].dtype
    x = jax.random.normal(key, (batch, dim), dtype)
    timesteps = jnp.linspace(999, 0, num_steps).astype(jnp.int32)
    previous = jnp.append(timesteps[1:], -1)

    def loop(carry, ts):
        x, state = carry
        t, t_prev = ts
        state, x = scheduler.step(state, denoiser(params, x, t), t, t_prev, x)
        return (x, state), None

    (x, _), _ = jax.lax.scan(loop, (x, scheduler.create_state(x.shape, dtype)), (timesteps, previous))
    return x


if __name__ == "__main__":
    k1, k2, k3 = jax.random.split(jax.random.key(0), 3)
    params = {"w1": jax.random.normal(k1, (8, 16), jnp.bfloat16), "freq": jnp.ones(16, jnp.bfloat16),
              "w2": 0.1 * jax.random.normal(k2, (16, 8), jnp.bfloat16)}
    out = sample(params, k3, MultistepScheduler(), 10)
    print(out.dtype, float(jnp.abs(out).mean()))
