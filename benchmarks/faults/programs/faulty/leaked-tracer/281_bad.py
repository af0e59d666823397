import jax
import jax.numpy as jnp
from jax import random

_key = random.PRNGKey(0)


def next_key():
    global _key
    _key, sub = random.split(_key)
    return sub


def glorot(shape):
    scale = jnp.sqrt(2.0 / sum(shape))
    return scale * random.normal(next_key(), shape)


def init_transformer(depth, width):
    return [
        {"qkv": glorot((width, 3 * width)), "out": glorot((width, width))}
        for _ in range(depth)
    ]


def attention(layer, x):
    q, k, v = jnp.split(x @ layer["qkv"], 3, axis=-1)
    att = jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[-1]))
    return x + (att @ v) @ layer["out"]


def apply(params, x):
    for layer in params:
        x = attention(layer, x)
    return x


def sharded_init(depth, width):
    return jax.jit(init_transformer, static_argnums=(0, 1))(depth, width)


def build(depth=2, width=8):
    params = sharded_init(depth, width)
    head = glorot((width, 3))
    return params, head


def main():
    params, head = build()
    x = random.normal(random.PRNGKey(1), (5, 8))
    print(jnp.mean(apply(params, x) @ head))


if __name__ == "__main__":
    main()
