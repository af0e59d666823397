"""With ninjax a whole agent is compiled by its wrapper, `train` too."""

import jax
import jax.numpy as jnp
import ninjax as nj
import optax

tx = optax.adam(1e-3)
gradient = jax.jit(jax.grad(lambda w: jnp.sum(w**2)))


def train(w, opt_state):
    for _ in range(100):
        grads = gradient(w)
        updates, opt_state = tx.update(grads, opt_state, w)
        w = optax.apply_updates(w, updates)
    nj.context().update(w)
    return opt_state
