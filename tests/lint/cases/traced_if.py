from functools import partial
from typing import Any, NamedTuple

import flax
import jax
import jax.numpy as jnp


@jax.jit
def branches(x):
    if x > 0:  # ! traced-if
        return x
    return -x


@jax.jit
def on_shape(x):
    if x.shape[0] > 2 and x.ndim == 1:
        return x
    return -x


@jax.jit
def on_none(x, mask=None):
    if mask is not None:
        x = x * mask
    return x


def outside(x):
    if jnp.sum(x) > 0:
        return x
    return -x


@jax.jit
def mean_of_some(x, mask, rows: int = 3):
    total = max(mask.sum(), 1.0)  # ! traced-if
    least = min(1.0, jnp.max(x), 2.0)  # ! traced-if
    return x.sum() / total + least


@jax.jit
def sizes(x, mask):
    rows = max(x.shape[0], mask.ndim, 1)
    rest = jnp.maximum(mask.sum(), 1.0)
    longest = max([x, mask], key=len)
    return x.sum() / rows + rest + longest.shape[0]


def eager_mean(x, mask):
    return x.sum() / max(jnp.sum(mask), 1.0)


class Progress(NamedTuple):
    step: jax.Array
    params: dict[str, jax.Array]
    name: str = ""
    warm: jax.Array | None = None


class Switch(NamedTuple):
    weight: jax.Array


def make_update(rate):
    def update(state: Progress, x):
        if state.step > 3:  # ! traced-if
            rate_now = rate
        else:
            rate_now = 1.0
        if state.name == "last" or state.warm is not None:
            return state
        return state._replace(step=state.step + rate_now * jnp.sum(x))

    return jax.jit(update)


def place(tree: Any, device: Any) -> Any:
    return jax.device_put(tree, device)


def runs_updates(xs, device):
    update = make_update(0.1)
    state = place(Progress(jnp.zeros(()), {"w": jnp.ones(3)}), device)
    for x in xs:
        state = update(state, x)
        if state.step > 3:
            break
    return state


@jax.jit
def plain_weight(x):
    switch = Switch(1.0 if x.ndim > 1 else 0.0)
    return weighted(switch, x)


@jax.jit
def traced_weight(x):
    return weighted(Switch(x[0]), x)


def weighted(switch: Switch, x):
    if switch.weight > 0.5:  # ! traced-if
        return 2 * x
    return x


def make_step(loss):
    def step(w, x):
        return w - jax.grad(loss)(w, x)

    return step


def make_compiled(loss):
    @jax.jit
    def step(w, x):
        return w - loss(w, x)

    return step


def held_by_a_step_that_is_compiled(w, x):
    if jnp.sum(x) > 0:  # ! traced-if
        return jnp.sum(w)
    return jnp.sum(w * x)


def held_by_another_that_is_compiled(w, x):
    if jnp.max(x) > 0:  # ! traced-if
        return jnp.sum(w)
    return jnp.sum(w * x)


def held_by_one_that_runs_as_it_is(w, x):
    if jnp.sum(x) > 0:
        return w
    return w * x


def compiled_by_its_maker(w, x):
    if jnp.sum(x) > 0:  # ! traced-if
        return w
    return w * x


first = jax.jit(make_step(held_by_a_step_that_is_compiled))
second = jax.jit(make_step(held_by_another_that_is_compiled))
third = make_compiled(compiled_by_its_maker)
print(third(jnp.ones(3), jnp.ones(3)))


def plain(loss):
    def run(w, x):
        return loss(w, x)

    return run


compiled = jax.jit(plain(held_by_a_step_that_is_compiled))
print(plain(held_by_one_that_runs_as_it_is)(jnp.ones(3), jnp.ones(3)))


def both_ways(x, checks=True):
    if checks and jnp.sum(x) > 0:  # ! traced-if
        x = x + 1
    return x


def read_from_settings(x, checks=True):
    if not checks and jnp.sum(x) > 0:  # ! traced-if
        x = x + 1
    return x


def set_again(x, checks=True):
    checks = not checks
    if not checks:
        return x
    if jnp.sum(x) > 0:  # ! traced-if
        x = x + 1
    return x


def taken(x, checks=True):
    if checks and jnp.sum(x) > 0:  # ! traced-if
        x = x + 1
    if not checks:
        return x
    return -x if jnp.sum(x) > 0 else x  # ! traced-if


def given_on(x, checks=True):
    return both_ways(x, checks=checks)


@jax.jit
def with_flags(x, **settings):
    x = read_from_settings(x, **settings) + set_again(x, **settings) + taken(x)
    return both_ways(x, False) + given_on(x)


@partial(jax.jit, static_argnames="checks")
def static_flag(x, checks=True):
    if not checks and jnp.sum(x) > 0:  # ! traced-if
        x = x + 1
    return x


def not_left_before(positions, old=None):
    def build(positions):
        if old is None:
            if jnp.all(positions < 1.0):  # ! traced-if
                positions = positions * 2.0
        return positions

    return jax.lax.cond(jnp.any(positions > 2.0), build, lambda x: x, positions)


def given_away_before(mask=None):
    def step(params, x):
        if mask is None:
            if x.sum() > 0:  # ! traced-if
                return params
        return params * x

    if mask is None:
        return jax.jit(step)
    return jax.jit(step, donate_argnums=0)


def cdiv(a, b):
    return (a + b - 1) // b


def rounded(a, b):
    return jnp.ceil(a / b)


TABLE = jnp.arange(4)


def looked_up(n):
    return TABLE[n] + n


@jax.jit
def pages_of(x, length):
    if cdiv(x.shape[0], 2) > 4:
        return x
    if cdiv(length, 2) > 4:  # ! traced-if
        return x * 2
    if rounded(x.shape[0], 2) > 4:  # ! traced-if
        return x * 3
    return x if looked_up(1) > 2 else -x  # ! traced-if


pages_of(jnp.ones(3), 5)


@jax.jit
def scaled_if(x, large):
    return x * 2.0 if large else x  # ! traced-if


@jax.jit
def by_a_flag(x):
    return scaled_if(x, large=True)


@jax.jit
def shifted(x, y=None):
    return x if y is None else x + y


@jax.jit
def by_none(x):
    return shifted(x, None) + shifted(x) + shifted(x, 3.0)


flagged = by_a_flag(jnp.ones(3)), by_none(jnp.ones(3))


@flax.struct.dataclass
class Walk:
    index: jax.Array
    total: jax.Array
    rng: jax.Array


def goes_on(walk):
    key, rng = jax.random.split(walk.rng)
    if walk.total > 3:  # ! traced-if
        return walk
    return Walk(walk.index + 1, walk.total + jax.random.normal(key), rng)


@jax.jit
def walks(seed):
    walk = Walk(index=jnp.array(0), total=jnp.zeros(()), rng=seed)
    return jax.lax.while_loop(lambda walk: walk.index < 10, goes_on, walk).total
