from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def passed_on(model, variables, x, train):  # ! train-flag-traced
    return model.apply(variables, x, train=train)


@partial(jax.jit, static_argnums=3)
def static(model, variables, x, train):
    return model.apply(variables, x, train=train)


@partial(jax.jit, static_argnames=("deterministic",))
def static_by_name(model, variables, x, deterministic):
    return model.apply(variables, x, deterministic=deterministic)


@jax.jit
def left_at_its_default(model, variables, x, train=True):
    return model.apply(variables, x, train=train)


@jax.jit
def selected(x, train):
    return jnp.where(train, x * 0.5, x)


def not_jitted(model, variables, x, train):
    return model.apply(variables, x, train=train)
