import jax
import jax.numpy as jnp
from jax import lax


def noisy_step(carry, x):
    noise = jax.random.normal(jax.random.key(0), x.shape)  # ! constant-key-in-jit
    return carry + x + noise, None


def run(xs):
    return lax.scan(noisy_step, jnp.zeros(3), xs)


@jax.jit
def dropout(x):
    key = jax.random.PRNGKey(42)  # ! constant-key-in-jit
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0)


def train(xs):
    for x in xs:
        dropout(x)


@jax.jit
def init_params(x):
    return jax.random.normal(jax.random.key(0), x.shape)


def start(xs):
    return [init_params(x) for x in xs]


def eager(xs):
    for x in xs:
        x = x + jax.random.normal(jax.random.key(0), x.shape)
    return x


@jax.jit
def seeded(x, seed):
    return x + jax.random.normal(jax.random.key(seed), x.shape)


def use_seed(xs):
    return [seeded(x, n) for n, x in enumerate(xs)]


@jax.jit
def once(x):
    return x + jax.random.normal(jax.random.key(0), x.shape)


result = once(jnp.ones(3))


def recurrent(cell, xs):
    def body(carry, x):
        start = cell.initialize_carry(jax.random.key(0), x.shape)
        return carry, start

    return lax.scan(body, 0.0, xs)
