"""Epochs with a donating train step, a plain eval step and a kept best copy."""
from functools import partial

import jax
import jax.numpy as jnp
import optax

OPT = optax.adamw(1e-2)


def init(key):
    params = {"w": 0.1 * jax.random.normal(key, (8, 3)), "b": jnp.zeros(3)}
    return {"params": params, "opt": OPT.init(params)}


@partial(jax.jit, donate_argnames=("state",))
def train_step(state, x, y):
    def loss_fn(p):
        return optax.softmax_cross_entropy_with_integer_labels(x @ p["w"] + p["b"], y).mean()

    loss, g = jax.value_and_grad(loss_fn)(state["params"])
    updates, opt = OPT.update(g, state["opt"], state["params"])
    return {"params": optax.apply_updates(state["params"], updates), "opt": opt}, loss


@jax.jit
def eval_step(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"]).argmax(-1) == y)


def data(key, n=64):
    x = jax.random.normal(key, (n, 8))
    return x, jnp.argmax(x[:, :3], -1)


def main(epochs=4):
    state = init(jax.random.key(0))
    best, best_acc = None, -1.0
    for epoch in range(epochs):
        for i in range(25):
            state, loss = train_step(state, *data(jax.random.key(100 * epoch + i)))
        acc = float(eval_step(state["params"], *data(jax.random.key(9999), 256)))
        if acc > best_acc:
            best, best_acc = jax.tree.map(jnp.copy, state["params"]), acc
    return float(loss), best_acc, float(eval_step(best, *data(jax.random.key(9999), 256)))


if __name__ == "__main__":
    print(main())
