"""An experiment is set up again by the same lines: the same models and the same optimizer."""

import jax
import jax.numpy as jnp
import optax


def build(keys):
    return [jax.random.normal(key, (4,)) for key in keys]


keys = jax.random.split(jax.random.key(0), 3)
x = jnp.ones(4)

models = build(keys=keys)
print([model @ x for model in models])

# each on an input of its own
models = build(keys=keys)
print([model @ x * n for n, model in enumerate(models)])


@jax.jit
def step(params, state):
    updates, state = optimizer.update(params, state, params)
    return optax.apply_updates(params, updates), state


params = models[0]
optimizer = optax.adam(1e-4)
state = optimizer.init(params)
for _ in range(1000):
    params, state = step(params, state)

params = models[1]
optimizer = optax.adam(1e-4)
state = optimizer.init(params)
for _ in range(1000):
    params, state = step(params, state)
