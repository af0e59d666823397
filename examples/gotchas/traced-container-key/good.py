import jax
import jax.numpy as jnp

names = {0: "cat", 1: "dog"}


@jax.jit
def predict(w, batch):
    return jnp.argmax(batch @ w)


name = names[int(predict(jnp.ones((3, 2)), jnp.ones(3)))]
