"""What JAX does well today, whatever older texts say of it: no rule speaks of any of these."""

import os

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"  # before the first array


def double(x):
    return x * 2


TABLE = jnp.arange(8.0)


@jax.jit
def look_up(i):
    """A small array of the module in a compiled function is no crash and no copy per call."""
    return TABLE[i]


@jax.jit
def step(state, batch, rate):
    """Another Python number each time, and float64 batches, are the same program."""
    return {"w": state["w"] - rate * jnp.mean(batch), "n": state["n"] + 1}


def train(batches):
    state = {"n": jnp.zeros((), jnp.int32), "w": jnp.zeros(3)}
    for number, batch in enumerate(batches):
        rate = 0.1 / (number + 1)
        state = step({"w": state["w"], "n": state["n"]}, np.asarray(batch, np.float64), rate)
    return state


def doubled(batches):
    """A function of the module jitted again is found in the cache."""
    return [jax.jit(double)(batch) for batch in batches]


def sums(xs):
    """An integer as the first carry of a float sum is promoted."""
    return jax.lax.scan(lambda carry, x: (carry + x, carry), 0, xs)


@jax.jit
def chosen(xs):
    """The gradient of `cond` under `vmap` has no NaN of the branch that was not taken."""

    def one(x):
        return jax.lax.cond(x > 0, lambda x: x * 2, lambda x: x * 3, x)

    return jax.grad(lambda xs: jnp.sum(jax.vmap(one)(xs)))(xs)


class Net(nn.Module):
    """Two compact methods are fine; `init` returns a plain dict."""

    @nn.compact
    def encode(self, x):
        return nn.Dense(3)(x)

    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x)


class Scaled(nn.Module):
    """`setup` beside a compact method is fine too."""

    def setup(self):
        self.scale = self.param("scale", nn.initializers.ones, ())

    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(x) * self.scale


def weights():
    params = Net().init(jax.random.PRNGKey(0), jnp.ones((1, 4)))["params"]
    return {name: value for name, value in params.items()} if isinstance(params, dict) else params


# Under `pmap` the mean over the devices is right.
average = jax.pmap(lambda g: jax.lax.pmean(g, "data"), axis_name="data")


def loss(params, x, y):
    """Shapes that differ raise an error in optax, they are not broadcast."""
    return jnp.mean(optax.l2_loss(x @ params, y))


def cached(folder):
    """Where compiled programs are kept may be said after the first of them."""
    doubled([jnp.ones(3)])
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
