"""Small nnx regression that keeps the model inside the optimiser object."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Spline(nnx.Module):
    def __init__(self, knots, rngs):
        self.centres = nnx.Variable(jnp.linspace(-2.0, 2.0, knots))
        self.out = nnx.Linear(knots, 1, rngs=rngs)

    def __call__(self, x):
        phi = jnp.exp(-4.0 * (x[:, None] - self.centres[...]) ** 2)
        return self.out(phi)[:, 0]


@nnx.jit
def train_step(optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(optimizer.model)
    optimizer.update(grads)
    return loss


def make_data(key, n=64):
    x = jax.random.uniform(key, (n,), minval=-2.0, maxval=2.0)
    return x, jnp.sin(2.0 * x)


def main():
    optimizer = nnx.ModelAndOptimizer(Spline(12, nnx.Rngs(0)), optax.adam(3e-2), wrt=nnx.Param)
    for i in range(100):
        loss = train_step(optimizer, *make_data(jax.random.key(i)))
    print("loss", float(loss), "steps", int(optimizer.step[...]))


if __name__ == "__main__":
    main()
