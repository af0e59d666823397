"""Handlers around a traced array that is asked for its value."""

import functools
import logging

import jax
import jax.numpy as jnp
import numpy as np

logger = logging.getLogger(__name__)


@jax.jit
def with_a_fallback(x):
    try:
        scale = float(jnp.max(x))
    except Exception:  # ! tracer-error-swallowed
        scale = 1.0
    return x / scale


@jax.jit
def in_jnp(x):
    try:
        scale = jnp.max(x)
    except Exception:
        scale = 1.0
    return x / scale


@jax.jit
def passes(x):
    try:
        if jnp.any(jnp.isnan(x)):
            x = jnp.zeros_like(x)
    except:  # ! tracer-error-swallowed  # noqa: E722
        pass
    return x


@jax.jit
def with_a_log_line(x):
    try:
        median = np.median(x)
    except Exception as error:  # ! tracer-error-swallowed
        logger.warning("no median: %s", error)
        median = 0.0
    return x - median


@functools.partial(jax.jit, static_argnames="n")
def of_a_static_argument(x, n):
    try:
        scale = 1.0 / float(n)
    except Exception:
        scale = 1.0
    return x * scale


@jax.jit
def raises_again(x):
    try:
        scale = float(jnp.max(x))
    except Exception as error:
        raise ValueError("give an array") from error
    return x / scale


@jax.jit
def raises_again_for_some(x):
    try:
        scale = float(jnp.max(x))
    except Exception as error:
        logger.warning("no scale")
        if len(str(error)) > 3:
            raise
        scale = 1.0
    return x / scale


@jax.jit
def by_its_name(x):
    try:
        scale = float(jnp.max(x))
    except jax.errors.ConcretizationTypeError:
        scale = 1.0
    except Exception:
        scale = 2.0
    return x / scale


@jax.jit
def by_its_class(x):
    try:
        scale = float(jnp.max(x))
    except (TypeError, ValueError):
        scale = 1.0
    return x / scale


@jax.jit
def another_error(x, table):
    try:
        scale = table["scale"]
    except KeyError:
        scale = float(1.0)
    return x / scale


@jax.jit
def before_the_broad_one(x):
    try:
        scale = float(x)
    except KeyError:
        scale = 2.0
    except (ValueError, Exception):  # ! tracer-error-swallowed
        scale = 1.0
    return x / scale


@jax.jit
def asks_only(x):
    try:
        float(x)
        known = True
    except Exception:
        known = False
    return x if known else jnp.abs(x)


@jax.jit
def value_or_none(x):
    try:
        bound = int(jnp.max(x))
    except Exception:
        bound = None
    return jnp.bincount(x, length=bound or 10)


@jax.jit
def knows_that_it_is_traced(x):
    try:
        scale = float(jnp.max(x))
    except Exception:  # no value while it is traced
        scale = 1.0
    return x / scale


@jax.jit
def waits_for_a_number(x):
    try:
        scale = float(x) if isinstance(x, float) else jnp.max(x)
    except Exception:
        scale = 1.0
    return x / scale


def helper(x):
    try:
        if x.sum() > 1:
            x = x / x.sum()
    except Exception:  # ! tracer-error-swallowed
        pass
    return x


@jax.jit
def by_a_helper(x):
    return helper(x + 1)


def helper_of_both(x):
    try:
        if x.sum() > 1:
            x = x / x.sum()
    except Exception:
        pass
    return x


@jax.jit
def by_a_helper_of_both(x):
    return helper_of_both(x + 1)


shown = helper_of_both(jnp.ones(3))


def not_traced(x):
    try:
        scale = float(jnp.max(x))
    except Exception:
        scale = 1.0
    return x / scale


@jax.jit
def in_a_loop(xs, limit):
    total = 0.0
    for x in jnp.abs(xs):
        try:
            total = total + np.linalg.norm(x)
        except Exception:  # ! tracer-error-swallowed
            continue
    return total


@jax.jit
def an_inner_try(x):
    try:
        try:
            scale = float(jnp.max(x))
        except TypeError:
            scale = jnp.max(x)
    except Exception:
        scale = 1.0
    return x / scale


@jax.jit
def in_the_handler(x, kernel):
    try:
        y = kernel(x)
    except Exception:
        y = jnp.tanh(x)
    return y


def loss(w, x):
    try:
        penalty = w.item()
    except Exception:
        penalty = 0.0
    return jnp.sum(w * x) + penalty


sees_through = jax.grad(loss)(1.0, jnp.ones(3))


def body(carry, x):
    try:
        carry = max(int(x), 0) + carry
    except Exception:  # ! tracer-error-swallowed
        carry = carry + 1
    return carry, x


last, _ = jax.lax.scan(body, 0, jnp.arange(3))


@jax.jit
def under_a_condition(x, flag=None):
    try:
        if flag is not None:
            scale = float(flag)
        else:
            scale = x.max()
    except Exception:
        scale = 1.0
    return x / scale
