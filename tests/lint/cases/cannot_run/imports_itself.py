import jax
import jax.random as jr


class Model:
    def __init__(self, sizes, dtype, key):
        self.weights = jr.normal(key, (sizes[0], sizes[1]), dtype)

    @jax.jit
    def __call__(self, x):
        return x @ self.weights


if __name__ == "__main__":
    from imports_itself import Model

    model = Model((3, 4), jr.key(0))  # ! cannot-run
