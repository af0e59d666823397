"""Weight decay on matrices only, for an nnx classifier."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.body = nnx.Linear(12, 24, rngs=rngs)
        self.head = nnx.Linear(24, 3, use_bias=False, rngs=rngs)
        self.shift = nnx.Variable(jnp.zeros((12,)))

    def __call__(self, x):
        return self.head(nnx.relu(self.body(x + self.shift[...])))


def decay_mask(params):
    return jax.tree.map(lambda p: p.ndim > 1, params)


def build_optimizer(model, lr, weight_decay):
    _, params, _ = nnx.split(model, nnx.Param, ...)
    mask = decay_mask(params)
    tx = optax.adamw(lr, weight_decay=weight_decay, mask=mask)
    return nnx.Optimizer(model, tx, wrt=nnx.Param)


def loss_fn(model, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    return loss


def make_data(key, n=128):
    x = jax.random.normal(key, (n, 12))
    return x, jnp.argmax(x[:, :3], axis=-1)


def main():
    model = Net(nnx.Rngs(0))
    optimizer = build_optimizer(model, 1e-2, 1e-2)
    for i in range(30):
        loss = train_step(model, optimizer, *make_data(jax.random.key(i)))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
