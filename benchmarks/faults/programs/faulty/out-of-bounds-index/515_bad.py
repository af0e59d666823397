"""Decoding with a sliding-window key/value cache."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Cache(NamedTuple):
    keys: jax.Array
    values: jax.Array
    length: jax.Array


def init_cache(window, heads, head_dim):
    shape = (window, heads, head_dim)
    return Cache(jnp.zeros(shape), jnp.zeros(shape), jnp.zeros((), jnp.int32))


def update(cache, k, v):
    window = cache.keys.shape[0]
    keys = lax.dynamic_update_slice(cache.keys, k[None], (cache.length, 0, 0))
    values = lax.dynamic_update_slice(cache.values, v[None], (cache.length, 0, 0))
    return Cache(keys, values, cache.length + 1)


def attend(q, cache):
    window = cache.keys.shape[0]
    scores = jnp.einsum("hd,whd->hw", q, cache.keys) / jnp.sqrt(q.shape[-1])
    scores = jnp.where(jnp.arange(window) < cache.length, scores, -1e9)
    return jnp.einsum("hw,whd->hd", jax.nn.softmax(scores), cache.values)


def init_params(key, vocab=30, heads=2, head_dim=8):
    k = jax.random.split(key, 5)
    dim = heads * head_dim
    names = ("q", "k", "v", "o")
    params = {n: jax.random.normal(kk, (dim, dim)) / jnp.sqrt(dim) for n, kk in zip(names, k)}
    return params | {"embed": jax.random.normal(k[4], (vocab, dim))}


def decode_step(params, cache, token, heads=2):
    x = params["embed"][token]
    q, k, v = (jnp.reshape(x @ params[n], (heads, -1)) for n in ("q", "k", "v"))
    cache = update(cache, k, v)
    x = x + attend(q, cache).reshape(-1) @ params["o"]
    return cache, x


@jax.jit
def run_cached(params, tokens):
    cache = init_cache(8, 2, 8)
    return lax.scan(lambda c, t: decode_step(params, c, t), cache, tokens)[1]


def run_full(params, tokens, window=8):
    outs = []
    for i in range(len(tokens)):
        part = tokens[max(0, i + 1 - window) : i + 1]
        outs.append(run_cached(params, part)[-1])
    return jnp.stack(outs)


if __name__ == "__main__":
    params = init_params(jax.random.key(0))
    tokens = jax.random.randint(jax.random.key(1), (14,), 0, 30)
    err = jnp.abs(run_cached(params, tokens) - run_full(params, tokens)).max(-1)
    print("error per position", err.round(3))
