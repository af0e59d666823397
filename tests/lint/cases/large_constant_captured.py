"""Arrays that jitted functions take along."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from coders import load_coder
from flax import nnx, struct

table = np.load("table.npy")
small = jnp.ones((3, 3))
large = jnp.ones((1000, 1000))


@jax.jit
def loaded(i):
    return jnp.asarray(table)[i]


def closure(x):
    weights = jax.random.normal(jax.random.key(0), (2048, 2048))
    apply = jax.jit(lambda x: weights @ x)  # ! large-constant-captured
    return apply(x)


@jax.jit
def of_small_size(x):
    return x @ small


@jax.jit
def as_an_argument(table, i):
    return table[i]


def eager(i):
    return table[i]


def of_unknown_size(n, x):
    weights = jnp.ones((n, n))
    return jax.jit(lambda x: weights @ x)(x)


def shape_only(x):
    gradient = jax.grad(lambda x: jnp.sum(large @ x))
    return gradient(x)


CODES = np.random.default_rng(0).normal(size=(65536, 16)).astype(np.float32)
FEW = np.random.default_rng(0).normal(size=(16, 16))
GRID = jnp.asarray(np.random.default_rng(1).normal(size=(200_000, 3)), jnp.float32)
generator = np.random.default_rng(2)
drawn = generator.uniform(0.0, 1.0, (1024, 1024))


def context(tokens):
    return jnp.take(CODES, tokens, axis=0) + FEW[0, 0]


@jax.jit
def step(tokens):
    return context(tokens) + GRID[:8].mean() + drawn[0, 0]  # ! large-constant-captured


def on_the_host(tokens):
    return CODES[tokens]


def make():
    bonus = jax.random.uniform(jax.random.key(1), (1024, 1024))
    little = jax.random.uniform(jax.random.key(1), (4, 4))

    def apply(i):
        return bonus[i, i] + little[0, 0]  # ! large-constant-captured

    return apply


def make_with_argument():
    bonus = jax.random.uniform(jax.random.key(1), (1024, 1024))

    def apply(bonus, i):
        return bonus[i, i]

    return apply, bonus


made = jax.jit(make())
with_argument, its_bonus = make_with_argument()
with_argument = jax.jit(with_argument)


@jax.jit
def made_inside(i):
    bonus = jnp.ones((1024, 1024))

    def body(carry, x):
        return carry + bonus[i, i], x

    return jax.lax.scan(body, 0.0, jnp.arange(3))


@struct.dataclass
class Coder:
    params: dict
    module: object = struct.field(pytree_node=False)

    def encode(self, x):  # ! large-constant-captured
        return self.module.apply({"params": self.params}, x)

    @jax.jit
    def decode(self, x):
        return self.module.apply({"params": self.params}, x)


def coded(path, batches):
    module, params = load_coder(path)
    coder = Coder(params, module)
    encode = jax.jit(coder.encode)
    for batch in batches:
        print(coder.decode(encode(batch)))


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(64, 64, rngs=rngs)

    def __call__(self, x):
        return self.layer(x)


def a_model_as_a_constant(xs):
    model = Net(nnx.Rngs(0))

    @jax.jit
    def forward(x):  # ! large-constant-captured
        return model(x)

    return [forward(x) for x in xs]


def a_model_as_an_argument(xs):
    model = Net(nnx.Rngs(0))

    @nnx.jit
    def forward(model, x):
        return model(x)

    return [forward(model, x) for x in xs]


class Inner(eqx.Module):
    weights: jax.Array

    def __call__(self, x):
        return x @ self.weights


class Middle(eqx.Module):
    layers: list

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Outer(eqx.Module):
    parts: list

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x


class Whole(eqx.Module):
    blocks: list

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


@eqx.filter_jit
def of_a_deep_argument(model, x):
    return model(x)


def run_deep(sizes, key, x):
    inner = [Inner(jax.random.normal(key, (size, size))) for size in sizes]
    middle = [Middle(inner) for _ in sizes]
    model = Whole([Outer(middle) for _ in sizes])
    return of_a_deep_argument(model, x)


run_deep([300, 300], jax.random.key(0), jnp.ones(300))
