"""Static arguments from loops."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


@partial(jax.jit, static_argnums=(1,), static_argnames=("lr",))
def step(x, number, lr=0.1):
    return x * number * lr


class Model:
    @partial(jax.jit, static_argnums=(0, 2))
    def apply(self, x, number):
        return x * number


def counted(x, batches):
    for i, batch in enumerate(batches):
        x = step(batch, i)  # ! changing-static-argument
    return x


def scheduled(x):
    for i in range(1000):
        x = step(x, 3, lr=0.1 / (i + 1))  # ! changing-static-argument
    return x


def on_a_method(model: Model, x):
    for i in range(1000):
        x = model.apply(x, i)  # ! changing-static-argument
    return x


def a_few_values(x):
    for i in range(8):
        x = step(x, i)
    return x


def as_data(x):
    for i in range(1000):
        x = step(x * i, 3)
    return x


def of_a_method_as_data(model: Model, x):
    for i in range(1000):
        x = model.apply(x * i, 2)
    return x


def constant(x, number):
    for _ in range(1000):
        x = step(x, number)
    return x


def of_few_values(x):
    for i in range(1000):
        x = step(x, i % 2)
    return x


def a_counter(x):
    number = 0
    while True:
        number += 1
        x = step(x, number)  # ! changing-static-argument


def an_axis_found_in_another_loop(xs, shape):
    axis = next(i for i, size in enumerate(shape) if size > 1)
    for x in xs:
        print(step(x, axis))


def lowered(x):
    lr = 1.0
    for _ in range(1000):
        x = step(x, 3, lr=lr)  # ! changing-static-argument
        lr = lr * 0.5
    return x


def by_what_is_collected(x):
    losses = []
    for _ in range(1000):
        losses.append(step(x, 3, lr=1 / (1 + len(losses))))  # ! changing-static-argument
    return losses


def lowered_once(x):
    lr = 1.0
    for number in range(1000):
        x = step(x, 3, lr=lr)
        if number == 500:
            lr = lr * 0.5
    return x


def back_and_forth(x):
    sign = 1
    for _ in range(1000):
        x = step(x, sign)
        sign = -sign
    return x


def two_values(x):
    losses = []
    for _ in range(1000):
        losses.append(step(x, len(losses) % 2))
    return losses


@partial(jax.jit, static_argnames="number")
def numbered(x, number):
    return x * number


def handed_on(x, number):
    return numbered(x, number)  # ! changing-static-argument


def handed_on_few(x, number):
    return numbered(x, number)


def handed_on_the_same(x, number):
    return numbered(x, number)


def hands_on(x, loader):
    for number, batch in enumerate(loader):
        print(handed_on(batch, number), handed_on_the_same(batch, 3))
    for number in range(8):
        print(handed_on_few(x, number))


class Counting:
    def __init__(self):
        self.played, self.size = 0, 8

    def play(self):
        self.played += 1

    def update(self, x):
        if self.played == 100:
            print(numbered(x, self.played))
        return numbered(x, self.played), numbered(x, self.size)  # ! changing-static-argument


class CountsOn:
    def __init__(self, least: int):
        self.least, self.taken = least, 0
        self.update = jax.jit(lambda x, number: x * number, static_argnames="number")

    def step(self, x):
        x = self.update(x, number=max(self.least, self.taken + 1))  # ! changing-static-argument
        self.taken += 1
        return x


class Settings:
    def __init__(self, depth):
        self.depth = depth


@dataclass(frozen=True)
class FrozenSettings:
    depth: int


@dataclass(eq=False)
class SettingsByIdentity:
    depth: int


@partial(jax.jit, static_argnames=("config", "function"))
def run(x, config=None, function=None):
    return x


def objects(x, batches):
    for batch in batches:
        run(batch, Settings(2))  # ! changing-static-argument
        run(batch, config=SettingsByIdentity(2))  # ! changing-static-argument
        run(batch, function=lambda y: y + 1)  # ! changing-static-argument
        run(batch, function=partial(jnp.sum, axis=0))  # ! changing-static-argument
        run(batch, optax.adam(1e-3))  # ! changing-static-argument
        settings = Settings(3)
        run(batch, settings)  # ! changing-static-argument
    return x


def made_once(x, batches):
    settings, double = Settings(2), lambda y: 2 * y
    tx = optax.adam(1e-3)
    for batch in batches:
        run(batch, settings, double)
        run(batch, tx, jnp.sum)
        run(batch, FrozenSettings(2))
        run(batch, Settings)
    return run(x, Settings(2))


def train_step(x):
    return run(x, Settings(2))  # ! changing-static-argument


def once(x, batches):
    for i, batch in enumerate(batches):
        if i == 0:
            run(batch, Settings(2))
    return x


def evaluate(x):
    return run(x, Settings(2))


def lowered_in_place(x):
    lr = 1.0
    for _ in range(1000):
        x = step(x, 3, lr=lr)  # ! changing-static-argument
        lr *= 0.99
    return x


def schedule(number):
    return 0.1 * 0.99**number


def by_a_schedule(x):
    for i in range(1000):
        x = step(x, 3, lr=schedule(i))  # ! changing-static-argument
    return x


def by_a_schedule_with_a_name(x):
    for i in range(1000):
        lr = schedule(i)
        x = step(x, 3, lr=lr)  # ! changing-static-argument
    return x


def by_a_power(x):
    for i in range(1000):
        x = step(x, 3, lr=0.99**i)  # ! changing-static-argument
    return x


def sizes_that_are_powers(x):
    for i in range(1000):
        x = step(jnp.zeros(2 ** (i % 4)), 3)
    return x


def flipped_in_place(x):
    sign = 1
    for _ in range(1000):
        x = step(x, sign)
        sign *= -1
    return x


def lowered_in_place_once(x):
    lr = 1.0
    for number in range(1000):
        x = step(x, 3, lr=lr)
        if number == 500:
            lr *= 0.5
    return x


def lowered_before(x):
    lr = 1.0
    for _ in range(1000):
        lr *= 0.99
    for _ in range(1000):
        x = step(x, 3, lr=lr)
    return x


def bounded_schedule(number):
    return 0.1 if number < 500 else 0.01


def by_two_rates(x):
    for i in range(1000):
        x = step(x, 3, lr=bounded_schedule(i))
    return x


def counted_by_hand(x, loader):
    number = 0
    for batch in loader:
        x = step(batch, number)  # ! changing-static-argument
        number += 1
    return x


def down_to_a_limit(x):
    lr = 1.0
    for _ in range(1000):
        x = step(x, 3, lr=lr)
        lr = max(lr * 0.5, 0.1)
    return x


def back_and_forth(x):
    lr = 0.25
    for _ in range(1000):
        x = step(x, 3, lr=lr)
        lr = 1 - lr
    return x


@eqx.filter_jit
def filtered_step(weights, optimizer, state, x):
    grads = jax.grad(lambda w: jnp.mean(w * x))(weights)
    updates, state = optimizer.update(grads, state, weights)
    return optax.apply_updates(weights, updates), state


def probed(x):
    optimizer = optax.lars(0.05)
    weights = jnp.ones(4)
    state = optimizer.init(weights)
    for _ in range(50):
        weights, state = filtered_step(weights, optimizer, state, x)  # ! changing-static-argument
    return weights


def probed_again_and_again(batches):
    return [probed(batch) for batch in batches]


def with_one_optimizer(batches):
    optimizer = optax.lars(0.05)
    weights = jnp.ones(4)
    state = optimizer.init(weights)
    for x in batches:
        weights, state = filtered_step(weights, optimizer, state, x)
    return weights


@eqx.filter_jit
def activated(x, activation):
    return activation(x)


def by_a_new_function(batches):
    return [activated(x, lambda y: y * 2.0) for x in batches]  # ! changing-static-argument


def by_one_function(batches):
    def doubled(x):
        return x * 2.0

    return [activated(x, doubled) for x in batches]


@partial(jax.jit, static_argnames="scale")
def guided(x, scale):
    def body(x, _):
        return x + scale * jnp.tanh(x), None

    return jax.lax.scan(body, x, None, length=10)[0]


@partial(jax.jit, static_argnames="scale")
def guided_or_not(x, scale):
    if scale == 0.0:
        return x
    return x + scale * jnp.tanh(x)


@partial(jax.jit, static_argnames="slope")
def with_a_shape(x, slope):
    return jnp.ones(round(slope * 2)) * x.sum()


class Sampler:
    def __call__(self, x, scale=7.5):
        return guided(x, scale)  # ! changing-static-argument


def some_scales_by_a_method(sampler: Sampler, x):
    return [sampler(x, scale=scale) for scale in [1.0, 3.0, 5.5, 9.0]]


def some_scales(x):
    for scale in (1.0, 3.0, 5.5, 9.0):
        x = guided(x, scale)  # ! changing-static-argument
        guided_or_not(x, scale)
        with_a_shape(x, scale)
    return x


def two_scales(x):
    return [guided(x, scale) for scale in (1.0, 3.0)]


some_scales_by_a_method(Sampler(), jnp.ones(3))


class Forward(eqx.Module):
    gain: jax.Array
    forward: Callable
    epoch: int = 0

    def __init__(self, forward, epoch=0):
        self.gain = jnp.ones(3)
        self.forward = jax.jit(forward)
        self.epoch = epoch

    def __call__(self, x):
        return self.forward(x * self.gain) * self.epoch


class ForwardAsItIs(eqx.Module):
    gain: jax.Array
    forward: Callable

    def __call__(self, x):
        return self.forward(x * self.gain)


@eqx.filter_jit
def run_module(model, x):
    return model(x)


def doubled(x):
    return 2 * x


def fit_trials(x):
    for _ in range(4):
        model = Forward(doubled)
        for _ in range(10):
            run_module(model, x)  # ! changing-static-argument
        shared = ForwardAsItIs(jnp.ones(3), doubled)
        for _ in range(10):
            run_module(shared, x)


def count_epochs(x):
    model = Forward(doubled)
    for epoch in range(40):
        model = eqx.tree_at(lambda m: m.epoch, model, epoch)
        run_module(model, x)  # ! changing-static-argument


def count_epochs_as_arrays(x):
    model = Forward(doubled)
    for epoch in range(40):
        model = eqx.tree_at(lambda m: m.epoch, model, jnp.asarray(epoch))
        run_module(model, x)


leaky = partial(jax.nn.leaky_relu, negative_slope=0.1)


class OfActivation(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.act = partial(jax.nn.leaky_relu, negative_slope=0.1)

    def __call__(self, x):
        return self.act(self.linear(x))


class OfSharedActivation(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.act = leaky

    def __call__(self, x):
        return self.act(self.linear(x))


@nnx.jit
def run_nnx(model, x):
    return model(x)


def try_seeds(x):
    for seed in range(4):
        run_nnx(OfActivation(nnx.Rngs(seed)), x)  # ! changing-static-argument
        run_nnx(OfSharedActivation(nnx.Rngs(seed)), x)


def try_two_seeds(x):
    for seed in (0, 1):
        run_nnx(OfActivation(nnx.Rngs(seed)), x)


def sweep(rates, x):
    for rate in rates:
        model = OfSharedActivation(nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.adam(rate), wrt=nnx.Param)
        for _ in range(100):
            update_nnx(model, optimizer, x)  # ! changing-static-argument


@nnx.jit
def update_nnx(model, optimizer, x):
    grads = nnx.grad(lambda m: m(x).sum())(model)
    optimizer.update(model, grads)


@partial(jax.jit, static_argnames="defocus")
def image(x, defocus):
    return jnp.exp(x * defocus)


def residual(x, defocus):
    return jnp.sum(image(x, defocus) ** 2)  # ! changing-static-argument


def scan_defocus(x, values):
    return [residual(x, float(value)) for value in values]


fit_trials(jnp.ones(3))
scan_defocus(jnp.ones(3), np.linspace(0.0, 0.4, 17))
