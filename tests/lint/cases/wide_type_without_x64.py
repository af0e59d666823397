"""Types of 64 bits, asked for where there are none."""

import jax
import jax.numpy as jnp
import numpy as np


def precise(x):
    return jnp.asarray(x, jnp.float64)  # ! wide-type-without-x64


def cast(x):
    return jnp.ones(3).astype(np.float64) * x  # ! wide-type-without-x64


def named(n):
    return jnp.zeros(n, dtype="float64")  # ! wide-type-without-x64


def drawn(key):
    return jax.random.normal(key, (3,), dtype=jnp.float64)  # ! wide-type-without-x64


def on_the_host(x):
    return np.asarray(x, np.float64).astype(np.float64)


def narrow(x):
    return jnp.asarray(x, jnp.float32)


def asked(x):
    return x.dtype == jnp.float64 or jnp.issubdtype(x.dtype, jnp.float64)


def of_an_array(x):
    return jnp.zeros(3, dtype=x.dtype)


def shown():
    return jnp.finfo(jnp.float64).eps


data = np.ones(3)
wrong = precise(data), cast(2.0), named(3), drawn(jax.random.key(0))
right = on_the_host(data), narrow(data), asked(jnp.ones(3)), of_an_array(data), shown()


class Digits:
    def __init__(self, digits=12):
        self.digits = digits

    def places(self):
        return 10 ** jnp.arange(self.digits)  # ! wide-type-without-x64

    def floating(self):
        return 10.0 ** jnp.arange(self.digits), 10 ** np.arange(self.digits)

    def few(self):
        return 2 ** jnp.arange(self.digits), 2 ** jnp.arange(1, self.digits, dtype=jnp.float32)


all_places = Digits().places(), Digits().floating(), Digits().few()
cubes = jnp.arange(2000) ** 3  # ! wide-type-without-x64
squares = jnp.arange(2000) ** 2
