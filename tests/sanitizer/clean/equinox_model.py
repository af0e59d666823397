"""Equinox: a filtered jit over a module, gradients through it, a key for each step."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Net(eqx.Module):
    layers: list
    dropout: eqx.nn.Dropout

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.layers = [eqx.nn.Linear(8, 16, key=first), eqx.nn.Linear(16, 1, key=second)]
        self.dropout = eqx.nn.Dropout(0.1)

    def __call__(self, x, key):
        return self.layers[1](self.dropout(jax.nn.relu(self.layers[0](x)), key=key))[0]


optimizer = optax.sgd(1e-2)


def loss_fn(model, x, y, key):
    keys = jax.random.split(key, x.shape[0])
    return jnp.mean((jax.vmap(model)(x, keys) - y) ** 2)


@eqx.filter_jit
def step(model, state, x, y, key):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(model, x, y, key)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(model, updates), state, loss


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(32, 8)).astype(np.float32)
    key = jax.random.key(0)
    model = Net(key)
    state = optimizer.init(eqx.filter(model, eqx.is_array))
    for number in range(8):
        size = 32
        #~ recompile/shape: size = 32 - 3 * number
        model, state, loss = step(model, state, x[:size], x[:size].sum(1), jax.random.fold_in(key, number))
    print(float(loss))


if __name__ == "__main__":
    main()
