import jax
import jax.numpy as jnp


def directions():
    return jnp.array([[0, 1], [1, 0]])


def main():
    jax.distributed.initialize()
    return directions()


def keep():
    return jax.random.key(0)
