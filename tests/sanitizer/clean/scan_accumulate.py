"""Gradient accumulation by scan, a schedule, a carried state, a checkpoint with Orbax, resumed."""

import functools
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp

optimizer = optax.chain(optax.clip(1.0), optax.adamw(optax.linear_schedule(1e-2, 1e-3, 40)))


def loss_fn(params, tokens):
    hidden = params["embed"][tokens[:, :-1]]
    logits = hidden @ params["out"]
    labels = tokens[:, 1:]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@functools.partial(jax.jit, donate_argnames=("params", "state"))
def step(params, state, tokens):
    def one(total, part):
        loss, grads = jax.value_and_grad(loss_fn)(params, part)
        return jax.tree.map(jnp.add, total, grads), loss

    zeros = jax.tree.map(jnp.zeros_like, params)
    grads, losses = jax.lax.scan(one, zeros, tokens)
    grads = jax.tree.map(lambda g: g / tokens.shape[0], grads)
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state, losses.mean()


@jax.jit
def init(key):
    a, b = jax.random.split(key)
    params = {"embed": jax.random.normal(a, (32, 16)), "out": jax.random.normal(b, (16, 32))}
    #~ key-reuse: params = {"embed": jax.random.normal(a, (32, 16)), "out": jax.random.normal(a, (16, 32))}
    return params, optimizer.init(params)


def main():
    rng = np.random.default_rng(0)
    params, state = init(jax.random.key(0))
    for number in range(20):
        tokens = rng.integers(0, 32, (4, 8, 17), dtype=np.int32)
        params, state, loss = step(params, state, tokens)
        #~ use-after-donation: old = params; params, state, loss = step(params, state, tokens); old["out"].sum() if number == 5 else None
        #~ non-finite-value: params, state, loss = step(params, state, tokens); loss = loss + jnp.log(-jnp.abs(loss)); float(loss)
    with tempfile.TemporaryDirectory() as folder:
        with ocp.StandardCheckpointer() as saver:
            saver.save(folder + "/state", {"params": params, "state": state})
            saver.wait_until_finished()
            back = saver.restore(folder + "/state", {"params": params, "state": state})
        for _ in range(5):
            tokens = rng.integers(0, 32, (4, 8, 17), dtype=np.int32)
            back["params"], back["state"], loss = step(back["params"], back["state"], tokens)
        print(float(loss))


if __name__ == "__main__":
    sys.exit(main())
