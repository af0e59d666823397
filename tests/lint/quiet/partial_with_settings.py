"""What `**kwargs` binds in a partial is no argument of the compiled function."""

import functools

import jax


def measure(f):
    f = jax.jit(f)

    def run(*args):
        return f(*args)

    return run


def dot(x, *, m, n):
    if m % n != 0:
        raise ValueError("not a multiple")
    return x


def main(x, settings):
    return measure(functools.partial(dot, m=4, **settings))(x)
