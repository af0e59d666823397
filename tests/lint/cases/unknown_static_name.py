"""Names of static arguments."""

from functools import partial, wraps

import jax


@partial(jax.jit, static_argnames=("trian",))  # ! unknown-static-name
def misspelled(x, train):
    return x


@partial(jax.jit, static_argnums=(2,))  # ! unknown-static-name
def out_of_range(x, train):
    return x


def loss(x, n):
    return x


of_partial = jax.jit(partial(loss, n=3), static_argnames="m")  # ! unknown-static-name


@partial(jax.jit, static_argnames=("train",), static_argnums=(-1,))
def right(x, train):
    return x


@partial(jax.jit, static_argnames="anything")
def takes_all(x, **kwargs):
    return x


@partial(jax.jit, static_argnums=(5,))
def takes_many(*args):
    return args


class Model:
    @partial(jax.jit, static_argnums=(0,), static_argnames=("n",))
    def method(self, x, *, n):
        return x


def through_a_stranger(decorate, names):
    return jax.jit(decorate(loss), static_argnames="k"), jax.jit(loss, static_argnames=names)


@partial(jax.jit, donate_argnames=("params", "state"))  # ! unknown-static-name
def updated(params, opt_state):
    return params, opt_state


@partial(jax.jit, donate_argnames=("params", "opt_state"))
def updated_right(params, opt_state):
    return params, opt_state


@partial(jax.jit, donate_argnames="state")
def takes_what_it_is_given(**kwargs):
    return kwargs


def donated_by_another(function, names):
    return jax.jit(function, donate_argnames="state"), jax.jit(updated, donate_argnames=names)


def compiled(function, **options):
    """The project's own jit."""
    return jax.jit(function, **options)


@partial(compiled, static_argnames="trian")  # ! unknown-static-name
def behind_its_own_jit(x, train):
    return x if train else -x


@partial(compiled, static_argnames="train")
def behind_its_own_jit_right(x, train):
    return x if train else -x


called = compiled(loss, static_argnames=("wrong",))  # ! unknown-static-name


def with_more(function, **options):
    """Its functions have a parameter that the wrapped one does not have."""

    @wraps(function)
    def inner(*args, train=False):
        return function(*args), train

    return jax.jit(inner, **options)


@partial(with_more, static_argnames="train")
def takes_more(x):
    return x


def single(x):
    return x


three = jax.jit(single, donate_argnums=3)  # ! unknown-static-name


def with_settings(x, *, scale):
    return x * scale


after_the_star = jax.jit(with_settings, donate_argnums=1)  # ! unknown-static-name


@partial(jax.jit, donate_argnums=(0, 2))  # ! unknown-static-name
def two_at_most(params, opt_state):
    return params, opt_state


class Trainer:
    def __init__(self):
        self.step = jax.jit(self.one, donate_argnums=(0, 2))  # ! unknown-static-name
        self.other = jax.jit(self.one, donate_argnums=(0, 1))

    def one(self, state, batch):
        return state


@partial(jax.jit, donate_argnums=(0, -1))
def from_the_end(params, opt_state):
    return params, opt_state


@partial(jax.jit, donate_argnums=5)
def gives_all(*arrays):
    return arrays


@partial(jax.pmap, donate_argnums=3)
def of_many_devices(x):
    """Nothing is said, and nothing is donated."""
    return x


def by_its_caller(numbers):
    return jax.jit(single, donate_argnums=numbers), jax.jit(single, donate_argnums=())
