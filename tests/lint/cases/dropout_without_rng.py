import jax
import jax.numpy as jnp
from flax import linen as nn


class Model(nn.Module):
    rate: float = 0.1

    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(8)(x)
        return nn.Dropout(self.rate, deterministic=not train)(x)


class Always(nn.Module):
    def setup(self):
        self.dense = nn.Dense(8)
        self.drop = nn.Dropout(rate=0.1, deterministic=False)

    def __call__(self, x):
        return self.drop(self.dense(x))


class Sometimes(nn.Module):
    drop: bool

    @nn.compact
    def __call__(self, x):
        if self.drop:
            x = nn.Dropout(0.1, deterministic=False)(x)
        return x


class Never(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.0, deterministic=False)(x)


class Undecided(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.MultiHeadAttention(num_heads=2, dropout_rate=0.1)(x)  # ! dropout-without-rng
        return nn.Dropout(0.1)(x)  # ! dropout-without-rng


class Recomputed(nn.Module):
    @nn.remat
    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.1)(x)  # ! dropout-without-rng


class RecomputedAndDecided(nn.Module):
    @nn.remat
    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.1)(x, deterministic=True)


class Decided(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool, options):
        x = nn.MultiHeadAttention(num_heads=2, dropout_rate=0.1, deterministic=True)(x)
        x = nn.MultiHeadAttention(num_heads=2, dropout_rate=0.1)(x, deterministic=not train)
        x = nn.MultiHeadAttention(num_heads=2)(x)
        x = nn.MultiHeadAttention(num_heads=2, dropout_rate=0.1, **options)(x)
        return nn.Dropout(0.1)(x, deterministic=not train) + nn.Dropout(0.1)(x, not train)


class Configured(nn.Module):
    rate: float

    @nn.compact
    def __call__(self, x):
        return nn.SelfAttention(num_heads=2, dropout_rate=self.rate)(x)


model = Model()


@jax.jit
def trains(params, x):
    return model.apply({"params": params}, x, train=True)  # ! dropout-without-rng


@jax.jit
def trains_always(variables, x):
    return Always().apply(variables, x)  # ! dropout-without-rng


def loss_of(params, x):
    return jnp.sum(model.apply({"params": params}, x, True))  # ! dropout-without-rng


@jax.jit
def step(params, x):
    return jax.grad(loss_of)(params, x)


@jax.jit
def evaluates(params, x):
    return model.apply({"params": params}, x, train=False)


@jax.jit
def trains_with_a_key(params, x, key):
    return model.apply({"params": params}, x, train=True, rngs={"dropout": key})


@jax.jit
def with_options(variables, x, **options):
    return model.apply(variables, x, train=True, **options)


def as_somebody_says(variables, x, train):
    return model.apply(variables, x, train=train)


@jax.jit
def on_a_branch(variables, x, drop):
    return Sometimes(drop).apply(variables, x)


@jax.jit
def of_rate_zero(variables, x):
    return Never().apply(variables, x)


def made(x):
    return Always().init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, x)


@jax.jit
def undecided(variables, x):
    return RecomputedAndDecided().apply(variables, Undecided().apply(variables, x))


@jax.jit
def recomputed(variables, x):
    return Recomputed().apply(variables, x)


@jax.jit
def decided(variables, x, options):
    return Decided().apply(variables, x, False, options)


@jax.jit
def configured(variables, x, rate):
    return Configured(rate).apply(variables, x)
