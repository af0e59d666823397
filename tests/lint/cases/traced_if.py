from typing import Any, NamedTuple

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
    if switch.weight > 0.5:
        return 2 * x
    return x
