"""The same network made twice: tried out first, and once more as it was before the training."""

import jax
import jax.numpy as jnp


def init_net(sizes, key):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        jax.random.normal(k, (n, m)) for k, m, n in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]


def forward(params, x):
    for w in params:
        x = jnp.tanh(w @ x)
    return x


def fresh_and_trained(key, x):
    trained = init_net([4, 8, 2], key)
    for _ in range(3):
        trained = [w * 0.9 for w in trained]
    print(forward(trained, x))
    untrained = init_net([4, 8, 2], key)
    print(jnp.sum(forward(untrained, x) == 0))


def tried_out(key, x):
    params = init_net([4, 8, 2], key)
    y = forward(params, x)
    print(y.shape)
    params = init_net([4, x.size, 2], key)
    return forward(params, x)
