"""Methods without parameters, objects that were given `self`, and settings behind a switch."""

import jax
import jax.numpy as jnp
import optax


class Losses:
    def squares(x, y):
        return jnp.mean((x - y) ** 2)

    def zero():
        return Losses.squares(0.0, 0.0)


class Stepper:
    def __init__(self, owner):
        self.owner = owner

    def advance(self):
        self.owner.key = jax.random.fold_in(self.owner.key, 1)


class Trainer:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def draw(self):
        stepper = Stepper(self)
        first = jax.random.normal(self.key, (3,))
        stepper.advance()
        return first + jax.random.normal(self.key, (3,))


START = jnp.zeros(3)


def main(debug=False):
    if debug:
        jax.config.update("jax_enable_x64", True)
    return Losses.zero() + Trainer(0).draw() + START


def falling(lr=1e-3):
    return optax.chain(optax.scale_by_adam(), optax.scale(lr))


def body(w, x):
    size = jnp.sqrt(jnp.sum(x**2))
    return w * size, None


def loss(w, xs):
    w, _ = jax.lax.scan(body, w, xs)
    return jnp.sum(w)


@jax.jit
def step(w, xs):
    return w - 0.1 * jax.grad(loss)(w, xs), jnp.sum(w)


def log(value, n):
    print(n, value.shape)


def fit(w, batches):
    for n, xs in enumerate(batches):
        w, value = step(w, xs)
        log(value, n)
    return w


print(main(), falling(-1e-3), fit)
