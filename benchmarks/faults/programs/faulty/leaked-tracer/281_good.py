import jax
import jax.numpy as jnp
from jax import random


def glorot(key, shape):
    scale = jnp.sqrt(2.0 / sum(shape))
    return scale * random.normal(key, shape)


def init_transformer(key, depth, width):
    keys = random.split(key, (depth, 2))
    return [
        {"qkv": glorot(k[0], (width, 3 * width)), "out": glorot(k[1], (width, width))}
        for k in keys
    ]


def attention(layer, x):
    q, k, v = jnp.split(x @ layer["qkv"], 3, axis=-1)
    att = jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[-1]))
    return x + (att @ v) @ layer["out"]


def apply(params, x):
    for layer in params:
        x = attention(layer, x)
    return x


def sharded_init(key, depth, width):
    return jax.jit(init_transformer, static_argnums=(1, 2))(key, depth, width)


def build(key, depth=2, width=8):
    k_body, k_head = random.split(key)
    params = sharded_init(k_body, depth, width)
    head = glorot(k_head, (width, 3))
    return params, head


def main():
    params, head = build(random.PRNGKey(0))
    x = random.normal(random.PRNGKey(1), (5, 8))
    print(jnp.mean(apply(params, x) @ head))


if __name__ == "__main__":
    main()
