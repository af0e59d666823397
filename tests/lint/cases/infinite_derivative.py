"""Roots and logarithms of what is exactly zero, and of what is kept away from it."""

import jax
import jax.numpy as jnp


@jax.grad
def root_of_a_relu(w):
    return jnp.sqrt(jax.nn.relu(w)).sum()  # ! infinite-derivative


def entropy(p):
    return -jnp.sum(jnp.where(p > 0, p * jnp.log(p), 0.0))  # ! infinite-derivative


@jax.grad
def masked_entropy(logits):
    legal = jnp.array([True, False, True])
    return entropy(jax.nn.softmax(jnp.where(legal, logits, -jnp.inf)))


@jax.grad
def power_of_a_clipped_value(w):
    return (jnp.clip(w, 0.0, 1.0) ** 0.5).sum()  # ! infinite-derivative


@jax.grad
def root_with_a_floor(w):
    return jnp.sqrt(jnp.maximum(w, 1e-6)).sum()


@jax.grad
def root_of_a_sum(w):
    return jnp.sqrt(jax.nn.relu(w) + 1e-6).sum()


@jax.grad
def safe(w):
    kept = jnp.where(w > 0, w, 1.0)
    return jnp.where(w > 0, jnp.sqrt(kept), 0.0).sum()


@jax.grad
def plain_entropy(logits):
    p = jax.nn.softmax(logits)
    return -jnp.sum(p * jnp.log(p))


def without_a_gradient(w):
    return jnp.sqrt(jax.nn.relu(w)).sum()


@jax.grad
def detached(w):
    scale = jax.lax.stop_gradient(jnp.sqrt(jax.nn.relu(w)))
    return (w * scale).sum()


reported = without_a_gradient(jnp.ones(3))


def weighted(q, values):
    def block(carry, x):
        total, weight = carry
        return (total + q * x, weight + jnp.exp(q * x)), None

    def up_to_here(carry, inputs):
        x, i = inputs
        return jax.lax.cond(i > 3, lambda carry, x: (carry, None), block, carry, x)

    start = jnp.zeros(3), jnp.zeros(3)
    (total, weight), _ = jax.lax.scan(up_to_here, start, (values, jnp.arange(4)))
    return jnp.sum(total / weight)


weighted_grad = jax.grad(weighted)


def angle_between(u, v):
    return jnp.arccos(jnp.clip(jnp.vdot(u, v), -1.0, 1.0))  # ! infinite-derivative


def angle_away_from_the_ends(u, v):
    return jnp.arccos(jnp.clip(jnp.vdot(u, v), -1.0 + 1e-6, 1.0 - 1e-6))


def distance_in_hyperbolic_space(u, v):
    return jnp.arccosh(jnp.maximum(-jnp.vdot(u, v), 1.0))  # ! infinite-derivative


def distance_from_squares(u, v):
    return jnp.arccosh(1.0 + jnp.sum((u - v) ** 2))


def half_angle(u, v):
    cosine = jnp.clip(jnp.vdot(u, v), -1, 1)
    return jnp.arcsin(jnp.minimum(cosine, 1.0))  # ! infinite-derivative


def angle_of_probabilities(u, v):
    return jnp.arccos(jax.nn.sigmoid(jnp.vdot(u, v)))


def within_the_unit_disc(u, v):
    return jnp.arctanh(jnp.clip(u @ v, -0.99, 0.99))


angles = [
    jax.grad(f)(jnp.ones(3), jnp.ones(3))
    for f in (
        angle_between, angle_away_from_the_ends, distance_in_hyperbolic_space,
        distance_from_squares, half_angle, angle_of_probabilities, within_the_unit_disc,
    )
]  # fmt: skip
