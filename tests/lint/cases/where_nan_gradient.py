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


def through_an_auxiliary_result(params, x):
    bias = params["bias"]
    loss = jnp.sum(bias * x)
    loss += jnp.where(bias == 0, 0.0, jnp.abs(bias) ** 0.5).sum()  # ! where-nan-gradient
    return loss, x


(value, kept), slopes = jax.value_and_grad(through_an_auxiliary_result, has_aux=True)(
    {"bias": jnp.zeros(3)}, jnp.ones(3)
)


@jax.grad
def of_a_model(model, x):
    y = model(x)
    y = y * (y > 0)
    return jnp.mean(jnp.where(y > 0, jnp.sqrt(y), 0.0))  # ! where-nan-gradient


@jax.grad
def by_the_length_itself(x):
    length = jnp.linalg.norm(x)
    length = jnp.where(length > 0, length, 0.0)  # ! where-nan-gradient
    return length


@jax.grad
def by_its_logarithm(x):
    value = jnp.log(x)
    return jnp.where(value > 0, value, 0.0)


@jax.grad
def made_safe_under_the_same_name(x):
    mask = x > 0
    x = jnp.where(mask, x, 1.0)
    return jnp.sum(jnp.where(mask, jnp.sqrt(x), 0.0))


@jax.grad
def made_safe_somewhere(x, careful):
    mask = x > 0
    y = x * 2
    if careful:
        y = jnp.where(mask, y, 1.0)
    return jnp.sum(jnp.where(y > 0, jnp.sqrt(jnp.maximum(y, 1e-6)), 0.0))


def safe_log(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)  # ! where-nan-gradient


def entropy_of(p):
    return -jnp.sum(p * safe_log(p))


def with_helpers(w, x):
    return entropy_of((w * x) ** 2)


slopes = jax.grad(with_helpers)(jnp.ones(3), jnp.ones(3))


def safe_log_of_the_data(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def log_for_the_report(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def log_of_what_is_kept(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def log_without_gradient(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def log_of_what_is_limited(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def never_under_grad(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def with_other_helpers(w, x):
    y = (w * x) ** 2
    report = log_for_the_report(y)
    weight = jax.lax.stop_gradient(log_without_gradient(y))
    loss = jnp.sum(y * safe_log_of_the_data(x) * weight)
    loss += log_of_what_is_limited(y + 1e-6).sum()
    return loss, {"report": report, "kept": log_of_what_is_kept(y)}


slopes, _ = jax.grad(with_other_helpers, has_aux=True)(jnp.ones(3), jnp.ones(3))
shown = never_under_grad(jnp.ones(3))


def two_of_them(y):
    return jnp.sum(y), jnp.where(y > 0, jnp.sqrt(y), 0.0)


def two_of_which_one_counts(y):
    return jnp.where(y > 0, jnp.sqrt(y), 0.0).sum(), y  # ! where-nan-gradient


def takes_apart(w, x):
    total, root = two_of_them(w * x)
    first, second = two_of_which_one_counts(w * x)
    return total + first, root


slopes, _ = jax.grad(takes_apart, has_aux=True)(jnp.ones(3), jnp.ones(3))


@jax.checkpoint
def recomputed(y):
    return jnp.where(y > 0, jnp.sqrt(y), 0.0)  # ! where-nan-gradient


@jax.custom_vjp
def with_a_rule(y):
    return jnp.where(y > 0, jnp.sqrt(y), 0.0)


def forward(y):
    return with_a_rule(y), y


def backward(y, g):
    return (g,)


with_a_rule.defvjp(forward, backward)


@jax.grad
def through_transforms(w):
    return recomputed(w).sum() + with_a_rule(w).sum()


class Whiten(nn.Module):
    def setup(self):
        self.variance = jnp.ones(3)

    def __call__(self, x):
        scale = jnp.sqrt(self.variance)
        return x / jnp.where(scale > 0, scale, 1e-6)


def over_the_data(w, x):
    def turn(total, row):
        return total + jnp.where(row > 0, jnp.sqrt(row), 0.0), None

    total, _ = jax.lax.scan(turn, 0.0, x)
    return w * total


def over_the_weights(w, x):
    def turn(total, weight):
        return total + jnp.where(weight > 0, jnp.sqrt(weight), 0.0), None  # ! where-nan-gradient

    total, _ = jax.lax.scan(turn, 0.0, w * x)
    return total


def each_of_the_data(row):
    return jnp.where(row > 0, jnp.sqrt(row), 0.0)


def each_of_the_weights(weight):
    return jnp.where(weight > 0, jnp.sqrt(weight), 0.0)  # ! where-nan-gradient


def mapped(w, x):
    return jnp.sum(jax.vmap(each_of_the_weights)(w) * jax.vmap(each_of_the_data)(x))


slopes = jax.grad(over_the_data)(1.0, jnp.ones(3)), jax.grad(over_the_weights)(1.0, jnp.ones(3))
more = jax.grad(mapped)(jnp.ones(3), jnp.ones(3))


@jax.grad
def mask_narrowed(x, valid):
    mask = x > 0
    mask = mask & valid
    return jnp.sum(jnp.where(mask, jnp.sqrt(x), 0.0))  # ! where-nan-gradient


def log_likelihood(rate, shape, times, observed):
    hazard = jnp.where(times > 0, (times * rate) ** 2, 0.0)
    logs = jnp.log(shape) + (shape - 1) * jnp.log(times)
    each = observed * logs - hazard
    return jnp.where(times > 0, each, 0.0)  # ! where-nan-gradient


def guarded_times(rate, shape, times, observed):
    safe = jnp.where(times > 0, times, 1.0)
    logs = jnp.log(shape) + (shape - 1) * jnp.log(safe)
    return jnp.where(times > 0, observed * logs - rate * safe, 0.0)


def of_data_alone(w, times):
    logs = jnp.where(times > 0, jnp.log(times), 0.0)
    return w * logs + jnp.where(times > 0, w + jnp.log(times), 0.0)


def mean_of_present(total, count):
    return jnp.where(count > 0, total / count, 0.0)  # ! where-nan-gradient


def mean_of_some(total, count):
    return jnp.where(count > 0, total / jnp.maximum(count, 1), 0.0)


def norm_of_rows(x):
    size = jnp.sqrt(jnp.sum(x**2, axis=-1))
    return jnp.where(size > 0, size, 0.0)  # ! where-nan-gradient


@jax.value_and_grad
def all_of_data(params, times, observed, counts):
    rate, shape = params
    found = log_likelihood(rate, shape, times, observed) + of_data_alone(rate, times)
    found += guarded_times(rate, shape, times, observed)
    found += mean_of_present(rate * times, counts) + mean_of_some(rate * times, counts)
    return jnp.sum(found) + jnp.sum(norm_of_rows(rate * jnp.eye(3)))


fitted = all_of_data((1.0, 2.0), jnp.zeros(3), jnp.ones(3), jnp.zeros(3))
