import jax
import jax.numpy as jnp


def start():
    table = jnp.zeros((8, 4))
    return table / jnp.linalg.norm(table, axis=-1, keepdims=True)  # ! unguarded-division


def start_with_a_small_number():
    table = jnp.zeros((8, 4))
    return table / (jnp.linalg.norm(table, axis=-1, keepdims=True) + 1e-6)


def standardise_zeros():
    scores = jnp.zeros(8)
    return (scores - jnp.mean(scores)) / jnp.std(scores)  # ! unguarded-division


def draw(key):
    direction = jax.random.normal(key, (8,))
    return direction / jnp.linalg.norm(direction)


def bounded():
    table = jnp.zeros((8, 4))
    return table / jnp.maximum(jnp.linalg.norm(table), 1.0)


start()
start_with_a_small_number()
standardise_zeros()
draw(jax.random.key(0))
bounded()
