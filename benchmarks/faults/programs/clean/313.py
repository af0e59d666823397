"""Target encoder of a self-supervised model kept in a FrozenDict."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.core import FrozenDict, freeze


class Net(nn.Module):
    def setup(self):
        self.encoder = nn.Dense(8)
        self.head = nn.Dense(4)

    def __call__(self, x):
        return self.head(nn.relu(self.encoder(x)))


def with_encoder(target: FrozenDict, source: FrozenDict) -> FrozenDict:
    return target.copy(add_or_replace={"encoder": source["encoder"]})


def build(key):
    model = Net()
    k1, k2 = jax.random.split(key)
    x = jnp.ones((1, 6))
    return model, freeze(model.init(k1, x)["params"]), freeze(model.init(k2, x)["params"])


def train(steps=20):
    model, online, target = build(jax.random.key(0))
    opt = optax.sgd(1e-1)
    state = opt.init(online)

    @jax.jit
    def step(online, target, state, x):
        goal = jax.lax.stop_gradient(model.apply({"params": target}, x))
        loss, g = jax.value_and_grad(
            lambda p: jnp.mean((model.apply({"params": p}, x) - goal) ** 2)
        )(online)
        updates, state = opt.update(g, state)
        return optax.apply_updates(online, updates), state, loss

    for i in range(steps):
        online, state, loss = step(online, target, state, jax.random.normal(jax.random.key(i), (16, 6)))
        if i % 5 == 4:
            target = with_encoder(target, online)
    return loss, type(target).__name__


if __name__ == "__main__":
    print(train())
