import jax
import jax.numpy as jnp
import optax
from flax import nnx


class SpatialTransformer(nnx.Module):
    def __init__(self, features, classes, rngs):
        self.loc = nnx.Linear(features, features, rngs=rngs)
        self.hidden = nnx.Linear(features, 64, rngs=rngs)
        self.out = nnx.Linear(64, classes, rngs=rngs)

    def __call__(self, x):
        gate = nnx.sigmoid(self.loc(x))
        return nnx.softmax(self.out(nnx.relu(self.hidden(gate * x))))


def cross_entropy(probs, one_hot):
    return -jnp.mean(jnp.sum(one_hot * jnp.log(probs), axis=-1))


@nnx.jit
def train_step(model, optimizer, x, one_hot):
    def loss_fn(m):
        return cross_entropy(m(x), one_hot)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def cluttered_digits(key, n, scale):
    kx, kc = jax.random.split(key)
    labels = jnp.arange(n) % 5
    x = jax.nn.one_hot(labels, 12) + 0.2 * jax.random.normal(kx, (n, 12))
    return scale * x, jax.nn.one_hot(jax.random.permutation(kc, labels), 5)


def fit(scale, steps=60):
    model = SpatialTransformer(12, 5, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-1), wrt=nnx.Param)
    x, y = cluttered_digits(jax.random.key(1), 64, scale)
    losses = [float(train_step(model, optimizer, x, y)) for _ in range(steps)]
    return losses[0], losses[-1]


if __name__ == "__main__":
    for scale in (1.0, 50.0):
        print("input scale", scale, "loss first/last", fit(scale))
