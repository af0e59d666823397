import jax
import jax.numpy as jnp
from flax import linen as nn
from jax.nn import softmax


def on_an_axis(x):
    return jnp.log(jax.nn.softmax(x, axis=1))  # ! log-of-softmax


def of_linen(x):
    return jnp.log(nn.softmax(x))  # ! log-of-softmax


def imported(x):
    return jnp.log(softmax(x))  # ! log-of-softmax


def stable(x):
    return jax.nn.log_softmax(x)


def small_number_added(x):
    return jnp.log(softmax(x) + 1e-8)


def masked(x, mask):
    return jnp.log(softmax(x, where=mask))


def two_steps(x):
    p = softmax(x)
    return p, jnp.log(p)  # ! log-of-softmax


def picked(x, y):
    p = softmax(x)
    chosen = jnp.take_along_axis(p, y[:, None], axis=1)
    return jnp.log(chosen), jnp.log(p[:, 0])  # ! log-of-softmax # ! log-of-softmax


def chances(w, x):
    return softmax(x @ w)


def of_a_function(w, x):
    p = chances(w, x)
    return -jnp.sum(p * jnp.log(p))  # ! log-of-softmax


def summed_before(x):
    p = softmax(x)
    return jnp.log(jnp.sum(p[:3]))


def limited_before(x):
    p = jnp.clip(softmax(x), 1e-6, 1.0)
    return jnp.log(p)


def smoothed(x):
    p = softmax(x)
    p = 0.9 * p + 0.01
    return jnp.log(p)


def replaced(x):
    p = softmax(x)
    return jnp.where(p > 0, jnp.log(p), 0.0)


def either(x, given):
    p = given if given is not None else softmax(x)
    return jnp.log(p)


def entropy(p):
    return -jnp.sum(p * jnp.log(p))


def of_another(x):
    return entropy(softmax(x))  # ! log-of-softmax


def of_what_is_never_zero(x):
    return entropy(softmax(x) + 1e-6)


def chance_of(p, label):
    return -jnp.log(p[..., label])


def nll(p, label):
    return chance_of(p, label).mean()


def two_calls_deep(x, label):
    chances = softmax(x)
    return nll(chances, label)  # ! log-of-softmax


def log_where_possible(p):
    return jnp.where(p > 0, jnp.log(p), 0.0)


def replaced_in_another(x):
    return log_where_possible(softmax(x)).sum()


def log_of_either(p, from_logits):
    if from_logits:
        return jax.nn.log_softmax(p)
    return jnp.log(p)


def of_one_that_asks(x):
    return log_of_either(softmax(x), False)  # ! log-of-softmax


def smooth_chances(w, x):
    return softmax(x @ w) + 1e-6


def of_a_smooth_function(w, x):
    return jnp.log(smooth_chances(w, x))


@jax.jit
def by_hand(logits, labels):
    e = jnp.exp(logits)
    p = e / jnp.sum(e, axis=-1, keepdims=True)
    return -jnp.sum(labels * jnp.log(p))  # ! log-of-softmax


@jax.jit
def shares(counts):
    return jnp.log(counts / jnp.sum(counts))


values = by_hand(jnp.ones((3, 4)), jnp.ones((3, 4))), shares(jnp.ones(3))
