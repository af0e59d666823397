import jax
import jax.numpy as jnp
import optax

# GOTCHA_OPTIONS=training=1
optimizer = optax.adam(optax.linear_schedule(1e-4, 1e-2, 100))


@jax.jit
def step(w, opt_state, x):
    grads = jax.grad(lambda w: jnp.mean((x @ w - 1.0) ** 2))(w)
    updates, opt_state = optimizer.update(grads, opt_state)
    return w + updates, opt_state


w = jnp.ones(4)
opt_state = optimizer.init(w)
for n in range(20):
    w, opt_state = step(w, opt_state, jnp.full((8, 4), n))
