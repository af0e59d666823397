"""Imitation from replays: a recurrent policy in bfloat16 with float32 masters, a replay buffer."""

import collections
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

optimizer = optax.adam(3e-3)
kept = []


def init(key):
    names = ("in", "hh", "out")
    shapes = ((6, 16), (16, 16), (16, 3))
    keys = jax.random.split(key, 3)
    return {n: jax.random.normal(k, s) * 0.1 for n, k, s in zip(names, keys, shapes)}


def policy(params, frames):
    low = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)

    def cell(carry, frame):
        carry = jnp.tanh(frame @ low["in"] + carry @ low["hh"])
        return carry, carry @ low["out"]

    start = jnp.zeros((frames.shape[1], 16), jnp.bfloat16)
    return jax.lax.scan(cell, start, frames.astype(jnp.bfloat16))[1].astype(jnp.float32)


def loss_fn(params, frames, actions):
    logits = policy(params, frames)
    return optax.softmax_cross_entropy_with_integer_labels(logits, actions).mean()


@jax.jit
def step(params, state, frames, actions):
    loss, grads = jax.value_and_grad(loss_fn)(params, frames, actions)
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


def main():
    rng = np.random.default_rng(0)
    params = init(jax.random.key(0))
    state = optimizer.init(params)
    recent = collections.deque(maxlen=4)
    act = jax.jit(lambda params, frames: policy(params, frames).argmax(-1))
    for number in range(1200):
        frames = rng.normal(size=(12, 8, 6)).astype(np.float32)
        actions = (frames.sum(-1) > 0).astype(np.int32)
        params, state, loss = step(params, state, frames, actions)
        recent.append(loss)
        #~ memory-growth: recent.append(loss); kept.append(params); time.sleep(0.003)
        if number % 200 == 0:
            act(params, frames)
            #~ recompile/new-function: jax.jit(lambda params, frames: policy(params, frames).argmax(-1))(params, frames)
    print(float(jnp.stack(list(recent)[-4:]).mean()))


if __name__ == "__main__":
    main()
