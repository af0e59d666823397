import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax import serialization
from flax.training import train_state


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(8)(x)))


def create_state(tx):
    model = Net()
    params = model.init(jax.random.key(0), jnp.zeros((1, 4)))["params"]
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)


def save(state, path):
    path.write_bytes(serialization.to_bytes(state))


def load(state, path):
    raw = serialization.msgpack_restore(path.read_bytes())
    return state.replace(
        step=raw["step"], params=raw["params"], opt_state=raw["opt_state"]
    )


@jax.jit
def train_step(state, x, y):
    def loss_fn(p):
        return jnp.mean((state.apply_fn({"params": p}, x)[:, 0] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in jax.tree.leaves(grads)]))
    new = state.apply_gradients(grads=grads)
    select = lambda a, b: jax.tree.map(lambda u, v: jnp.where(finite, u, v), a, b)
    return new.replace(
        params=select(new.params, state.params),
        opt_state=select(new.opt_state, state.opt_state),
    ), loss


def main():
    x = jax.random.normal(jax.random.key(1), (32, 4))
    y = x[:, 0] * 2
    tx = optax.chain(optax.trace(decay=0.9), optax.scale(-1e-2))
    state = create_state(tx)
    for _ in range(5):
        state, loss = train_step(state, x, y)
    print("loss before", float(loss))
    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "state.msgpack"
        save(state, path)
        state = load(create_state(tx), path)
    for _ in range(5):
        state, loss = train_step(state, x, y)
    print("loss after", float(loss))


if __name__ == "__main__":
    main()
