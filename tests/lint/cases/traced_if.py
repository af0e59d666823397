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
