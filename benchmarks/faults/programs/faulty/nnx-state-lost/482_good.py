"""Running-normalised regression network (nnx) trained with a jitted step."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Count(nnx.Variable):
    pass


class RunningNorm(nnx.Module):
    """Normalises features by statistics accumulated over all calls."""

    def __init__(self, dim: int):
        self.count = Count(jnp.array(0.0))
        self.mean = Count(jnp.zeros(dim))
        self.m2 = Count(jnp.ones(dim))

    def __call__(self, x, update: bool):
        if update:
            n = x.shape[0]
            total = self.count[...] + n
            delta = x.mean(0) - self.mean[...]
            self.mean[...] = self.mean[...] + delta * n / total
            self.m2[...] = self.m2[...] + x.var(0) * n + delta**2 * self.count[...] * n / total
            self.count[...] = total
        std = jnp.sqrt(self.m2[...] / jnp.maximum(self.count[...], 1.0)) + 1e-3
        return (x - self.mean[...]) / std


class Regressor(nnx.Module):
    def __init__(self, dim: int, rngs: nnx.Rngs):
        self.norm = RunningNorm(dim)
        self.l1 = nnx.Linear(dim, 16, rngs=rngs)
        self.l2 = nnx.Linear(16, 1, rngs=rngs)

    def __call__(self, x, update=False):
        return self.l2(nnx.relu(self.l1(self.norm(x, update))))[:, 0]


@nnx.jit
def observe(model: Regressor, x):
    return model(x, update=True)


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def main():
    model = Regressor(3, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    key = jax.random.key(0)
    for i in range(60):
        x = 50.0 + 20.0 * jax.random.normal(jax.random.fold_in(key, i), (32, 3))
        y = (x[:, 0] - 50.0) / 20.0
        observe(model, x)
        loss = train_step(model, optimizer, x, y)
    print("samples counted", float(model.norm.count[...]), "mean", model.norm.mean[...])
    print("loss", float(loss))


if __name__ == "__main__":
    main()
