import jax
import jax.numpy as jnp
import numpy as np

DIRECTIONS = np.array([[0, 1], [1, 0]])


def set_up():
    jax.distributed.initialize()


set_up()
KEY = jax.random.key(0)
SCALE = jnp.ones(3)


def later():
    return KEY, SCALE


if __name__ == "__main__":
    later()
