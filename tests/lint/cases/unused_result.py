import random
import time

import jax
import jax.numpy as jnp
import optax
import tensorflow as tf
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
    y = jnp.tanh(x @ w)  # ! unused-result
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


def on_the_host(device):
    jax.default_device(device)  # ! unused-result
    jax.transfer_guard("disallow")  # ! unused-result
    context = jax.debug_nans(True)  # ! unused-result
    with jax.default_device(device), jax.disable_jit():
        jax.named_scope("inner")  # ! unused-result
        return jnp.ones(3)


def contexts_that_are_entered(device, stack, mesh):
    stack.enter_context(jax.default_device(device))
    jax.set_mesh(mesh)
    jax.debug_nans(True).__enter__()
    precision = jax.default_matmul_precision("highest")
    with precision:
        jax.config.update("jax_debug_nans", True)
    return jax.disable_jit()


def context_that_may_be_missing():
    try:
        jax.no_tracing()
    except AttributeError:
        return False
    return True


class Stack(nnx.Module):
    def __init__(self, features, depth, rngs):
        self.layers = nnx.List([nnx.Linear(features, features, rngs=rngs) for _ in range(depth)])
        self.norms = nnx.List([nnx.LayerNorm(features, rngs=rngs) for _ in range(depth)])

    def __call__(self, x):
        for layer in self.layers:
            h = layer(x)  # ! unused-result
        return h

    def pairs(self, x):
        for layer, norm in zip(self.layers, self.norms, strict=True):
            h = layer(x)
            h = nnx.relu(norm(h))  # ! unused-result
        return h

    def by_number(self, x):
        for i in range(len(self.layers)):
            h = self.layers[i](x)  # ! unused-result
        return h

    def fed(self, x):
        h = x
        for layer in self.layers:
            h = layer(h)
        return h

    def gathered(self, x):
        found = []
        for layer in self.layers:
            h = layer(x)
            found.append(h)
        return found

    def summed(self, x):
        total = 0.0
        for layer in self.layers:
            h = layer(x)
            total = total + h
        return total

    def input_changes(self, x):
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = layer(x)
            h = norm(x)
        return h

    def searched(self, x):
        for layer in self.layers:
            h = layer(x)
            if h.shape == x.shape:
                break
        return h

    def read_before(self, x):
        h = jnp.zeros_like(x)
        for layer in self.layers:
            y = layer(x) + h
            h = y
        return h


class Gated(nn.Module):
    width: int
    depth: int

    @nn.compact
    def __call__(self, x, mask):
        for _ in range(self.depth - 1):
            h = Experts(width=self.width)(x)  # ! unused-result
        h = nn.Dense(self.width)(x)
        for _ in range(1):
            h = nn.Dense(self.width)(x)
        return h


def update_function(width, depth):
    def update(nodes):
        for _ in range(depth):
            out = nn.Dense(width)(nodes)  # ! unused-result
        return out

    return update


def warm_up(layers, x):
    for layer in layers:
        h = layer(x)
    return h


@jax.jit
def traced(layers, x):
    for layer in layers:
        h = layer(x)  # ! unused-result
    return h


def prefetched(split, size, builder):
    dataset = builder.as_dataset(split=split)
    dataset = dataset.cache().repeat().batch(size, drop_remainder=True)
    dataset.prefetch(10)  # ! unused-result
    return dataset


def of_slices(x):
    rows = tf.data.Dataset.from_tensor_slices(x)
    rows.shuffle(1000)  # ! unused-result
    rows.map(lambda row: row / 255)  # ! unused-result
    return rows


def of_a_caller(dataset, size):
    dataset.batch(size)  # ! unused-result
    return dataset


def kept(dataset, size):
    dataset = dataset.shuffle(1000).batch(size)
    return dataset.prefetch(2)


def in_place(rng, pool, rows, cache):
    rng.shuffle(rows)
    random.shuffle(rows)
    pool.map(print, rows)
    cache.filter(rows)
    return rows


class Loader:
    def batch(self, size):
        self.size = size

    def start(self, loader):
        self.batch(4)
        loader.batch(8)
        loader.shuffle(3)


class MissingData(FileNotFoundError):
    """There is no data set."""


def checked(x, name):
    if x.ndim != 2:
        ValueError("a matrix")  # ! unused-result
    if name is None:
        MissingData(name)  # ! unused-result
    if x.ndim == 3:
        error = ValueError("three")
        raise error
    print(ValueError("said"))
    return jnp.tanh(x)


def placed(x, devices):
    mesh = jax.sharding.Mesh(devices, ("data",))
    sharding = jax.sharding.NamedSharding(mesh, jax.P("data"))  # ! unused-result
    return jax.device_put(x)


def placed_so(x, devices):
    mesh = jax.sharding.Mesh(devices, ("data",))
    sharding = jax.sharding.NamedSharding(mesh, jax.P("data"))
    return jax.device_put(x, sharding)


def huber(target, guess, dtype):
    target = target.astype(dtype)
    target = target.astype(dtype)  # ! unused-result
    return jnp.mean(jnp.where(jnp.abs(target - guess) < 1, (target - guess) ** 2, 1.0))


def kept_small(x, low):
    x = jnp.maximum(x, low)
    x = jnp.maximum(x, low)  # ! unused-result
    return x


def both_cast(target, guess, dtype):
    target = target.astype(dtype)
    guess = guess.astype(dtype)
    return target - guess


def to_others(x, dtype, other):
    x = x.astype(dtype)
    x = x.astype(other)
    return x


def changed_between(x, low):
    x = jnp.maximum(x, low)
    low = low + 1
    x = jnp.maximum(x, low)
    return x


def halved_twice(x):
    x = jnp.sqrt(x)
    x = jnp.sqrt(x)
    return x


def of_another(x, y):
    x = jnp.abs(x)
    y = jnp.abs(x)
    return x + y


class Named:
    def __init__(self, name):
        self.name = name


class Unnamed(Named):
    def __init__(self):
        super(Unnamed).__init__()  # ! unused-result


class Bound(Named):
    def __init__(self, name):
        super(Bound, self).__init__(name)


class Short(Named):
    def __init__(self, name):
        super().__init__(name)
