"""A function that draws for some settings only, called with the others."""

import jax
import jax.numpy as jnp


def noisy(key, x, scale=None):
    if scale is not None:
        x = x + scale * jax.random.normal(key, x.shape)
    return x


def fit(params, data, *, key, batch_size: int = -1, steps: int = 100):
    keys = jax.random.split(key, steps)

    def step(carry, key):
        if batch_size != -1:
            batch = jax.random.choice(key, data, (batch_size,))
        else:
            batch = data
        return carry - 0.1 * jnp.mean(carry - batch), None

    return jax.lax.scan(step, params, keys)[0]


def dropped(key, x, train=True):
    if train:
        x = x * jax.random.bernoulli(key, 0.5, x.shape)
    return x


key = jax.random.key(0)
data = jax.random.normal(key, (64,))
print(fit(jnp.zeros(()), noisy(key, data), key=key), dropped(key, data, train=False))


def blurred(key, x, train):
    return dropped(key, x, train=train)


print(blurred(key, data, False), blurred(key, data, train=False))
