"""Partials that are made again, and those that stay."""

from functools import lru_cache, partial

import jax
import jax.numpy as jnp


def scale(x, factor):
    return x * factor


def in_a_loop(xs):
    for x in xs:
        print(jax.jit(partial(scale, factor=2.0))(x))  # ! jit-of-partial


def step(x):
    return jax.pmap(partial(scale, factor=3.0))(x)  # ! jit-of-partial


def made_once(xs):
    double = partial(scale, factor=2.0)
    for x in xs:
        print(jax.jit(double)(x))


def jitted_once(xs):
    double = jax.jit(partial(scale, factor=2.0))
    for x in xs:
        print(double(x))


def partial_of_jit(xs):
    for x in xs:
        print(partial(jax.jit, static_argnums=1)(scale)(x, 2.0))


def another_function_each_turn(functions, x):
    for function in functions:
        print(jax.jit(partial(function, factor=2.0))(x))


steps = {n: jax.jit(partial(scale, factor=n)) for n in range(10)}


def batch_bound(w, loader):
    for rows in loader:
        batch = jnp.asarray(rows)
        print(jax.jit(partial(scale, factor=batch))(w))  # ! jit-of-partial


@jax.jit
def jitted(x, key):
    return x + jax.random.normal(key, x.shape)


def of_a_jitted_function(xs, key):
    for x in xs:
        key, noise_key = jax.random.split(key)
        noisy = jax.jit(partial(jitted, key=noise_key))  # ! jit-of-partial
        print(noisy(x))


def named_first(xs):
    for x in xs:
        double = partial(scale, factor=2.0)
        print(jax.jit(double)(x))  # ! jit-of-partial


class Trainer:
    def __init__(self):
        self.params = jnp.ones(3)

    def loss(self, params, batch):
        return jnp.sum(params * batch)

    def update(self, batch):
        loss = jax.jit(partial(self.loss, self.params))  # ! jit-of-partial
        return loss(batch)

    def build(self, batch):
        self.loss_of = jax.jit(partial(self.loss, self.params))
        return self.loss_of(batch)


def another_setting_each_turn(configs, x):
    for config in configs:
        print(jax.jit(partial(scale, factor=config))(x))


def of_a_jitted_function_only(xs, key):
    noisy = partial(jitted, key=key)
    for x in xs:
        print(noisy(x))


def partial_of_jitted_is_not_jitted_again(xs, key):
    for x in xs:
        key, noise_key = jax.random.split(key)
        print(partial(jitted, key=noise_key)(x))


def compiled(function, **options):
    """The project's own jit."""
    return jax.jit(function, **options)


def scaled_by(factor):
    return jax.jit(partial(scale, factor=factor))


def scaled_by_a_setting(factor):
    return jax.jit(partial(scale, factor=factor))


DOUBLE = partial(scale, factor=2.0)


def always_the_same():
    return jax.jit(DOUBLE)


@lru_cache
def kept_by_its_setting(factor):
    return jax.jit(partial(scale, factor=factor))


def scaled_once(factor):
    return jax.jit(partial(scale, factor=factor))


def behind_helpers(xs, configs):
    for x in xs:
        factor = jnp.sum(x)
        double = scaled_by(factor)  # ! jit-of-partial
        print(double(x), always_the_same()(x), kept_by_its_setting(2.0)(x))
    for config in configs:
        run = scaled_by_a_setting(config)
        print(run(xs[0]))
    halve = scaled_once(0.5)
    for x in xs:
        print(halve(x))


def behind_its_own_jit(xs, key):
    for x in xs:
        key, noise_key = jax.random.split(key)
        print(compiled(partial(jitted, key=noise_key))(x))  # ! jit-of-partial
        print(compiled(DOUBLE)(x))


def asked_for_at_each_turn(x, factors):
    stale = True
    for factor in factors:
        if stale:
            x = jax.jit(partial(scale, factor=0.5))(x)  # ! jit-of-partial
        stale = factor > 0
    return x


def made_layers(sizes):
    layers = []
    for size in sizes:
        layers.append(jnp.ones((size, size)))
    return layers


def over_layers_that_another_function_made(xs):
    layers = made_layers((3, 3))

    def forward(factor, x):
        for layer in layers:
            x = factor * (x @ layer)
        return x

    for x in xs:
        print(jax.jit(partial(forward, 0.5))(x))  # ! jit-of-partial


def another_size_in_each_turn():
    for size in (16, 48):
        print(jax.jit(partial(scale, factor=2.0))(jnp.ones(size)))


def two_sizes_in_many_turns():
    for _ in range(100):
        for size in (16, 48):
            print(jax.jit(partial(scale, factor=2.0))(jnp.ones(size)))  # ! jit-of-partial


over_layers_that_another_function_made([jnp.ones(3)] * 9)
another_size_in_each_turn()
two_sizes_in_many_turns()
