"""Training with noise drawn from one base key folded with the step and a stream number."""
import enum

import jax
import jax.numpy as jnp
import optax


class Stream(enum.IntEnum):
    DATA = 0
    NOISE = 1
    DROPOUT = 2


def stream_key(base, step, stream):
    return jax.random.fold_in(jax.random.fold_in(base, step), int(stream))


def predict(params, x, key):
    h = jnp.tanh(x @ params["w1"])
    keep = jax.random.bernoulli(key, 0.9, h.shape)
    return (h * keep / 0.9) @ params["w2"]


def make_step(opt):
    @jax.jit
    def step(params, state, base, i):
        x = jax.random.normal(stream_key(base, i, Stream.DATA), (32, 5))
        noise = 0.1 * jax.random.normal(stream_key(base, i, Stream.NOISE), (32,))
        y = x.sum(-1) + noise

        def loss_fn(p):
            out = predict(p, x, stream_key(base, i, Stream.DROPOUT))[:, 0]
            return jnp.mean((out - y) ** 2)

        loss, g = jax.value_and_grad(loss_fn)(params)
        updates, state = opt.update(g, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step


def train(seed, steps=150):
    base = jax.random.key(seed)
    k1, k2 = jax.random.split(jax.random.fold_in(base, 2**31 - 1))
    params = {"w1": jax.random.normal(k1, (5, 24)) * 0.3, "w2": jax.random.normal(k2, (24, 1)) * 0.3}
    opt = optax.adam(1e-2)
    state = opt.init(params)
    step = make_step(opt)
    for i in range(steps):
        params, state, loss = step(params, state, base, i)
    return float(loss), step._cache_size()


if __name__ == "__main__":
    print(train(0))
