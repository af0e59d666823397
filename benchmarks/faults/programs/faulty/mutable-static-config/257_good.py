"""Phase retrieval with a forward operator object that is refined between stages."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import dataclasses


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class ForwardOperator:
    """Blur with a Gaussian kernel; the width is re-estimated after each stage."""
    size: int = dataclasses.field(metadata=dict(static=True))
    width: float

    def kernel(self):
        axis = np.arange(self.size, dtype=np.float32) - self.size // 2
        k = jnp.exp(-0.5 * (axis / self.width) ** 2)
        return k / k.sum()

    def __call__(self, x):
        return jnp.convolve(x, self.kernel(), mode="same")


@jax.jit
def refine_step(operator, x, data, lr):
    loss = lambda x: jnp.mean((operator(x) - data) ** 2)
    value, grad = jax.value_and_grad(loss)(x)
    return jnp.maximum(x - lr * grad, 0.0), value


def reconstruct(operator, data, widths, iterations=200):
    x = jnp.ones_like(data)
    values = []
    for width in widths:
        operator.width = width
        for _ in range(iterations):
            x, value = refine_step(operator, x, data, 5.0)
        values.append(float(value))
    return x, values


def main():
    truth = np.zeros(64, np.float32)
    truth[[20, 24, 45]] = [1.0, 0.5, 2.0]
    data = ForwardOperator(31, 2.0)(truth)
    _, values = reconstruct(ForwardOperator(31, 5.0), data, [5.0, 3.0, 2.0])
    print("misfit per stage", values)


if __name__ == "__main__":
    main()
