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


@jax.jit
def in_a_loss(state, x, train):  # ! train-flag-traced
    def loss_fn(params):
        return state.apply_fn(params, x, train=train).mean()

    return jax.grad(loss_fn)(state.params)


@partial(jax.jit, static_argnames="train")
def static_in_a_loss(state, x, train):
    def loss_fn(params):
        return state.apply_fn(params, x, train=train).mean()

    return jax.grad(loss_fn)(state.params)


@jax.jit
def loss_with_its_own(state, x, train):
    def loss_fn(params, train=True):
        return state.apply_fn(params, x, train=train).mean()

    return jax.grad(loss_fn)(state.params) * train


@jax.jit
def default_replaced(model, variables, x, train=True):  # ! train-flag-traced
    return model.apply(variables, x, train=train)


@jax.jit
def negated(model, variables, x, deterministic=True):  # ! train-flag-traced
    return model.apply(variables, x, train=not deterministic)


def calls(model, variables, x):
    y = default_replaced(model, variables, x, train=False)
    return y + negated(model, variables, x, False) + left_at_its_default(model, variables, x)


def scaled(x, training=False):
    return 0.9 * x if training else x


def chosen(x, training):
    return jnp.where(training, 0.9 * x, x)


@jax.jit
def by_position(x, training):  # ! train-flag-traced
    return scaled(x, training)


@jax.jit
def by_position_selected(x, training):
    return chosen(x, training)


@jax.jit
def another_parameter(x, training):
    return chosen(training, x)


def chosen_and_asked(x, training):
    y = jax.lax.cond(training, lambda x: 0.9 * x, lambda x: x, x)
    return y + 1 if training else y


@jax.jit
def by_keyword(x, training):  # ! train-flag-traced
    return chosen_and_asked(x, training=training)


@jax.jit
def differentiated(params, x, training):  # ! train-flag-traced
    return jnp.mean(scaled(params * x, training))


def gradient(params, x, training):
    return jax.grad(differentiated)(params, x, training)
