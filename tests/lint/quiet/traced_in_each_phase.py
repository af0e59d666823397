"""Each phase trains on longer series, so the step is traced again, with the optimizer of the phase."""

import functools

import jax
import jax.numpy as jnp
import optax


def train(params, ts, phases):
    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, short):
        grads = jax.grad(lambda p: jnp.mean((p * short) ** 2))(params)
        updates, opt_state = optimizer.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state

    for rate, steps, length in phases:
        optimizer = optax.adabelief(rate)
        opt_state = optimizer.init(params)
        short = ts[: int(100 * length)]
        for _ in range(steps):
            params, opt_state = step(params, opt_state, short)
    return params
