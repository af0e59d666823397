import jax
import jax.numpy as jnp

DIRECTIONS = jnp.array([[0, 1], [1, 0]])


def main():
    jax.distributed.initialize()  # ! backend-started-too-early


class Runner:
    def start(self, address):
        if address:
            jax.distributed.initialize(address)  # ! backend-started-too-early


if __name__ == "__main__":
    main()
