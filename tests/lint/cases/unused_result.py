import time

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax import nnx


class PreNorm(nnx.Module):
    def __init__(self, features, inner, rngs):
        self.norm = nnx.LayerNorm(features, rngs=rngs)
        self.inner = inner

    def __call__(self, x):
        normed = self.norm(x)  # ! unused-result
        return self.inner(x)


class Experts(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        shared = nn.Dense(self.width)(x)
        routed = nn.Dense(self.width)(x)
        out = shared + routed  # ! unused-result
        return routed


class Tied(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        embed = nn.Embed(8, self.width)
        head = nn.Dense(8)
        if self.is_initializing():
            logits = head(embed(x))
        return embed.attend(embed(x))


class Named(nn.Module):
    @nn.compact
    def __call__(self, x):
        out = {}
        y = out["hidden"] = nn.Dense(8)(x)
        return out


def scaled(q, k, scale):
    q = jnp.tanh(q)
    k = jnp.tanh(k)
    s = q * scale  # ! unused-result
    return jnp.einsum("bd,bd->b", q, k)


def noisy(x, key):
    noise = jax.random.normal(key, x.shape)  # ! unused-result
    return 2 * x


def schedules(steps):
    warmup = optax.linear_schedule(0.0, 1e-3, steps)  # ! unused-result
    return optax.adam(1e-3)


def by_branch(x, flag):
    y = jnp.exp(x)
    if flag:
        y = y + 1.0  # ! unused-result
        return x
    return y


def meant(x):
    _ = jnp.exp(x)
    _hidden = jnp.log(x)
    return x


def read_by_a_function(x):
    scale = jnp.max(x)

    def apply(y):
        return y / scale

    return apply


def read_in_the_next_turn(xs):
    total = jnp.zeros(3)
    for x in xs:
        if x.ndim > 1:
            print(total)
        total = jnp.maximum(total, x)


def read_by_a_handler(x, save):
    best = jnp.max(x)
    try:
        best = jnp.min(x)
        save(x)
    except OSError:
        print(best)


def tried(x):
    try:
        y = jnp.linalg.cholesky(x)
    except ValueError:
        return False
    return True


def timed(x):
    start = time.perf_counter()
    y = jnp.dot(x, x)
    return time.perf_counter() - start


def activated(x):
    return nn.relu(x)


def saved(x, path):
    y = jnp.exp(x)
    jnp.save(path, y)
    print(path)
    return y


def by_own_functions(x, path):
    h = activated(x)  # ! unused-result
    kept = saved(x, path)
    return x


def by_a_method(x):
    y = jnp.exp(x)
    z = y.at[0].set(0.0)  # ! unused-result
    return y


def replaced(x, w):
    y = jnp.tanh(x @ w)
    y = jnp.sin(x @ w)
    return y


def own(step, state):
    loss = step(state)
    return state


def sizes(x):
    rows = x.shape[0] * 2
    return x


def all_names(x):
    y = jnp.exp(x)
    return locals()
