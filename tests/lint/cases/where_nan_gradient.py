import jax
import jax.numpy as jnp
from flax import linen as nn


@jax.grad
def bare_root(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)  # ! where-nan-gradient


@jax.grad
def logarithm_bound_before(x):
    entropy = x * jnp.log(x)
    return -jnp.sum(jnp.where(x == 0, 0.0, entropy))  # ! where-nan-gradient


@jax.grad
def mask_bound_before(x):
    mask = jnp.abs(x) > 1e-6
    return jnp.sum(jnp.where(mask, 1 / x, 0.0))  # ! where-nan-gradient


@jax.grad
def limited(x):
    return jnp.sum(jnp.where(x > 0, jnp.sqrt(jnp.maximum(x, 1e-12)), 0.0))


@jax.grad
def limited_before(x):
    safe = jnp.where(x > 0, x, 1.0)
    return jnp.sum(jnp.where(x > 0, jnp.log(safe), 0.0))


@jax.grad
def small_number_added(x):
    return jnp.sum(jnp.where(x > 0, 1 / (x + 1e-8), 0.0))


def never_differentiated(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)


@jax.grad
def another_mask(x, mask):
    return jnp.sum(jnp.where(mask, jnp.sqrt(x), 0.0))


@jax.grad
def of_the_data(w, x):
    scale = jnp.where(x > 0, 1 / x, 0.0)
    return jnp.sum(w * scale)


@jax.grad
def stopped(x):
    return x * jax.lax.stop_gradient(jnp.where(x > 0, jnp.sqrt(x), 0.0))


@jax.value_and_grad
def whole_powers(x):
    return jnp.where(x > 0, x**2, x**3)


def with_metrics(w, x):
    error = jnp.sum(w * x)
    metrics = {"root": jnp.where(error > 0, jnp.sqrt(error), 0.0)}
    return error**2, metrics


grads = jax.grad(with_metrics, has_aux=True)(jnp.ones(3), jnp.ones(3))


@jax.grad
def huber(x):
    return jnp.where(x > 1.0, jnp.sqrt(x), x**2)


class Normalise(nn.Module):
    def __call__(self, x):
        total = jnp.sum(x)
        return jnp.where(total > 0, x / total, x)  # ! where-nan-gradient


class NormaliseWell(nn.Module):
    def __call__(self, x):
        total = jnp.sum(x)
        return jnp.where(total > 0, x / jnp.where(total > 0, total, 1.0), x)
