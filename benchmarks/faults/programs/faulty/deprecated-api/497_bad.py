"""Constrained optimisation by the modified differential method of multipliers."""
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import optax


class Constraint(NamedTuple):
    init: Callable
    loss: Callable


class Lagrange(NamedTuple):
    lam: Any
    damping: Any


def equality(fun, damping=5.0, weight=1.0, reduction=jnp.sum):
    def init_fn(params):
        return Lagrange(jax.tree.map(jnp.zeros_like, fun(params)), damping)

    def loss_fn(mult, params):
        infeas = fun(params)
        terms = jax.tree.map(lambda l, h: l * h - 0.5 * mult.damping * h**2, mult.lam, infeas)
        return weight * sum(reduction(-t) for t in jax.tree.leaves(terms)), infeas

    return Constraint(init_fn, loss_fn)


def prepare_update(updates):
    """Turns descent into ascent for the multipliers."""
    params_grad, mult_grad = updates
    flipped = mult_grad._replace(lam=jax.tree_map(lambda g: -g, mult_grad.lam))
    return params_grad, flipped._replace(damping=jax.tree_map(jnp.zeros_like, flipped.damping))


def compliance(density):
    stiffness = 1e-3 + density**3
    return jnp.sum(jnp.linspace(1.0, 2.0, density.shape[0]) / stiffness)


def design(theta):
    return jax.nn.sigmoid(theta)


def optimise(n=16, volume=0.5, steps=400):
    constraint = equality(lambda th: design(th).mean() - volume, damping=40.0, weight=30.0)
    theta = jnp.zeros(n)
    variables = (theta, constraint.init(theta))
    opt = optax.sgd(5e-3)
    state = opt.init(variables)

    @jax.jit
    def step(variables, state):
        def lagrangian(v):
            theta, mult = v
            penalty, infeas = constraint.loss(mult, theta)
            return compliance(design(theta)) / n + penalty, infeas

        (value, infeas), grads = jax.value_and_grad(lagrangian, has_aux=True)(variables)
        updates, state = opt.update(prepare_update(grads), state, variables)
        return optax.apply_updates(variables, updates), state, infeas

    for _ in range(steps):
        variables, state, infeas = step(variables, state)
    return design(variables[0]), infeas


if __name__ == "__main__":
    density, infeas = optimise()
    print("volume", density.mean(), "infeasibility", infeas)
