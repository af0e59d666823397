import jax
import jax.numpy as jnp


@jax.jit
def long(x):
    for _ in range(200):  # ! unrolled-loop
        x = jnp.tanh(x) * 0.5
    return x


@jax.jit
def short(x):
    for _ in range(8):
        x = jnp.tanh(x) * 0.5
    return x


def on_the_host(x):
    for _ in range(200):
        x = jnp.tanh(x) * 0.5
    return x


@jax.jit
def configured(x, layers):
    for layer in layers:
        x = jnp.tanh(x) * layer
    return x


x = jnp.ones(3)
print(long(x), short(x), on_the_host(x))
