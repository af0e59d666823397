"""Trains a part of the weights, or with state that stands still; nothing fails and no number shows it.

The loss goes down all the same, only less. Here the optimizer is given new moments in each step, so
that it never gets beyond its first one: the schedule's warm-up never ends.

## The price
The quality of the model, and the run that has to be made again.
"""

import jax
import jax.numpy as jnp
import optax

# GOTCHA_OPTIONS=training=1
optimizer = optax.adam(optax.linear_schedule(1e-4, 1e-2, 100))


@jax.jit
def step(w, opt_state, x):
    opt_state = optimizer.init(w)
    grads = jax.grad(lambda w: jnp.mean((x @ w - 1.0) ** 2))(w)
    updates, _ = optimizer.update(grads, opt_state)
    return w + updates, opt_state


w = jnp.ones(4)
opt_state = optimizer.init(w)
for n in range(20):
    w, opt_state = step(w, opt_state, jnp.full((8, 4), n))  # ! silent-training-error/counter-stuck
