from functools import partial

import jax
import jax.numpy as jnp
from flax import linen as nn


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


class Dropping(nn.Module):
    @nn.compact
    def __call__(self, x, training=True, cache=None):
        return nn.Dropout(0.1)(x, deterministic=not training), cache


class Normed(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool = True):
        return nn.BatchNorm(use_running_average=train)(x)


class Selecting(nn.Module):
    @nn.compact
    def __call__(self, x, training=True):
        return jnp.where(training, x * 0.5, x)


class Outer(nn.Module):
    @nn.compact
    def __call__(self, x, training=True, cache=None):
        x, cache = Dropping(name="inner")(x, training, cache)
        return x


class Stack(nn.Module):
    checkpointing: bool = True

    @nn.compact
    def __call__(self, x, training: bool = True):
        block_cls = nn.remat(Dropping) if self.checkpointing else Dropping  # ! train-flag-traced
        for i in range(2):
            x, _ = block_cls(name=f"block_{i}")(x, training, None)
        return x


class StackOfOuter(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = True):
        block = nn.checkpoint(Outer)(name="b")  # ! train-flag-traced
        return block(x, training=training)


class StackWithLiteral(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.remat(Dropping)()(x, False)  # ! train-flag-traced


class StackStatic(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = True):
        return nn.remat(Dropping, static_argnums=(2,))()(x, training)


class StackByDefault(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.remat(Dropping)()(x)


class StackOfArrays(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = True):
        return nn.remat(Selecting)()(x, training)


class StackOfFlags(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool | None = None):
        return nn.remat(Dropping)()(x, training)


class StackWithoutRemat(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = True):
        remat = nn.remat(Selecting)
        return remat()(Dropping()(x, training)[0])
