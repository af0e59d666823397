"""Trainer whose jitted step carries model, optimiser and EMA state."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class TrainerState(NamedTuple):
    params: dict
    opt_state: optax.OptState
    ema: dict
    prng_key: jax.Array


def init_params(key, dims):
    keys = jax.random.split(key, len(dims) - 1)
    return {
        f"layer{i}": {"w": jax.random.normal(k, (a, b)) / jnp.sqrt(a), "b": jnp.zeros(b)}
        for i, (k, a, b) in enumerate(zip(keys, dims[:-1], dims[1:]))
    }


def forward(params, x):
    for i in range(len(params)):
        layer = params[f"layer{i}"]
        x = x @ layer["w"] + layer["b"]
        if i + 1 < len(params):
            x = jax.nn.relu(x)
    return x


class Trainer:
    def __init__(self, dims, lr=1e-3, ema_decay=0.999):
        self.opt = optax.adam(lr)
        self.ema_decay = ema_decay
        params = init_params(jax.random.key(0), dims)
        ema = jax.tree.map(jnp.copy, params)
        self.state = TrainerState(params, self.opt.init(params), ema, jax.random.key(1))
        self._jit_step = jax.jit(self._step, donate_argnums=(0,))

    def _step(self, state, x, y):
        key, noise_key = jax.random.split(state.prng_key)
        x = x + 0.01 * jax.random.normal(noise_key, x.shape)
        loss, g = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(state.params)
        updates, opt_state = self.opt.update(g, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        ema = optax.incremental_update(params, state.ema, 1.0 - self.ema_decay)
        return TrainerState(params, opt_state, ema, key), loss

    def run(self, batches):
        for x, y in batches:
            self.state, loss = self._jit_step(self.state, x, y)
        return loss

    def memory(self, x, y):
        stats = self._jit_step.lower(self.state, x, y).compile().memory_analysis()
        return stats.output_size_in_bytes, stats.alias_size_in_bytes


if __name__ == "__main__":
    trainer = Trainer([64, 1024, 1024, 8])
    x, y = jnp.ones((16, 64)), jnp.zeros((16, 8))
    loss = trainer.run([(x, y)] * 3)
    out, aliased = trainer.memory(x, y)
    print("loss", loss, "bytes of outputs", out, "of them aliased with the inputs", aliased)
