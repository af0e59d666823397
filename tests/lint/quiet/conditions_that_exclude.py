"""One key under conditions of which one holds at most: each call draws from it once."""

import jax


def initial(settings, key, velocity):
    if settings.wall == "smooth" and settings.noise > 0.0:
        velocity = velocity + jax.random.normal(key, (3,))
    if settings.wall != "smooth" and settings.noise > 0.0:
        velocity = velocity + jax.random.uniform(key, (3,))
    return velocity


def proposal(kind, key, mean):
    if kind == "normal":
        mean = mean + jax.random.normal(key, mean.shape)
    if kind in ("cauchy", "laplace"):
        mean = mean + jax.random.cauchy(key, mean.shape)
    return mean


def heavy(key, mean, count):
    if count > 3:
        mean = mean + jax.random.gumbel(key, mean.shape)
    if count <= 3:
        mean = mean + jax.random.logistic(key, mean.shape)
    return mean


def weights(key, bias, sizes):
    weight = None if bias is None else jax.random.normal(key, sizes)
    if bias is None:
        weight = jax.random.uniform(key, sizes)
    return weight
