"""Train states of Flax that are made anew: static data that differs, deep inside of them."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState

x = jnp.ones((8, 4))


class Net(nn.Module):
    @nn.compact
    def __call__(self, batch):
        return nn.Dense(2)(batch)


@jax.jit
def by_state(state, batch):
    return state.apply_fn({"params": state.params}, batch).sum()


def linen_state():
    for _ in range(3):
        net = Net()
        params = net.init(jax.random.key(0), x)["params"]
        state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.sgd(0.1))
        by_state(state, x)  # ! recompile/pytree-static by_state


@nnx.jit
def by_optimizer(model, optimizer, batch):
    grads = nnx.grad(lambda m: (m(batch) ** 2).mean())(model)
    optimizer.update(model, grads)


def nnx_optimizer():
    model = nnx.Linear(4, 2, rngs=nnx.Rngs(0))
    for _ in range(3):
        optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
        by_optimizer(model, optimizer, x)  # ! recompile/pytree-static by_optimizer


if __name__ == "__main__":
    for scenario in (linen_state, nnx_optimizer):
        scenario()
