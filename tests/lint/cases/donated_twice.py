import jax
import jax.numpy as jnp

both = jax.jit(lambda p, q: (p, q), donate_argnums=(0, 1))
first = jax.jit(lambda p, q: p + q, donate_argnums=0)
second_by_name = jax.jit(lambda p, q: p + q, donate_argnames="q")
none = jax.jit(lambda p, q: p + q)


def same(x):
    return both(x, x)  # ! donated-twice


def donated_and_read(x):
    return first(x, x)  # ! donated-twice


def by_name(x):
    return second_by_name(x, q=x)  # ! donated-twice


def copied(x):
    return both(x, jnp.copy(x))


def not_donating(x):
    return none(x, x)


def numbers():
    size = 3
    return first(size, size)


def parts(state):
    return both(state.params, state.ema)


@jax.jit
def inside_a_trace(x):
    return both(x, x)
