import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx
from jax import lax

history = []
cache = {}
latest = None


@jax.jit
def appends(x):
    history.append(jnp.sum(x))  # ! leaked-tracer
    return x


@jax.jit
def stores(x):
    cache["x"] = x * 2  # ! leaked-tracer
    return x


@jax.jit
def binds(x):
    global latest
    latest = jnp.sum(x)  # ! leaked-tracer
    return x


def trains(w, xs):
    losses = []

    @jax.jit
    def step(w, x):
        loss = jnp.sum((w - x) ** 2)
        losses.append(loss)  # ! leaked-tracer
        return w - x

    for x in xs:
        w = step(w, x)
    return w, losses


class Trainer:
    def __init__(self):
        self.loss = None
        self.step = jax.jit(self._step)

    def _step(self, w):
        self.loss = jnp.sum(w)  # ! leaked-tracer
        return w - 1


@jax.jit
def local_list(xs):
    out = []
    for i in range(3):
        out.append(xs * i)
    return jnp.stack(out)


@jax.jit
def helper_of_local_list(xs):
    out = []

    def add(x):
        out.append(x)

    add(xs)
    add(xs * 2)
    return jnp.stack(out)


@jax.jit
def traced_owner(xs):
    index = [0, 0]

    def body(i, y):
        index[0] = i
        return y + xs[i]

    return lax.fori_loop(0, 3, body, 0.0)


def eager(xs):
    for x in xs:
        history.append(appends(x))


class Norm(nnx.Module):
    def __init__(self):
        self.mean = nnx.BatchStat(jnp.zeros(3))

    def __call__(self, x):
        self.mean.value = x.mean(0)
        self.last = nnx.Intermediate(x)
        return x


@nnx.jit
def apply_norm(norm: Norm, x):
    return norm(x)


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        self.sow("intermediates", "x", x)
        return nn.Dense(3)(x)


@jax.jit
def reference(x):
    ref = jax.new_ref(x)
    ref[0] = jnp.sum(x)
    return ref[...]


@jax.jit
def static_values(x):
    cache["shape"] = x.shape
    return x


def largest_loss(batches):
    largest, calls, shape = None, 0, ()

    @jax.jit
    def step(x):
        nonlocal largest, calls, shape
        loss = jnp.sum(x)
        largest = loss if largest is None else jnp.maximum(largest, loss)  # ! leaked-tracer
        calls += 1
        shape = x.shape
        return loss

    return [step(batch) for batch in batches], largest, calls, shape


@jax.jit
def within_one_trace(x):
    total = jnp.zeros(())

    def add(y):
        nonlocal total
        total = total + jnp.sum(y)

    add(x)
    add(2 * x)
    return total


def on_the_host(x):
    total = jnp.zeros(())

    def add(y):
        nonlocal total
        total = total + jnp.sum(y)

    add(x)
    return total


class Scaled:
    def __init__(self):
        self.scale = 1.0
        self.last = None

    def put_back(self, x):
        @jax.jit
        def step(x):
            before = self.scale
            self.scale = jnp.max(x)
            y = x / self.scale
            self.scale = before
            return y

        return step(x)

    def put_back_at_times(self, x, keep):
        @jax.jit
        def step(x):
            before = self.last
            self.last = jnp.max(x)  # ! leaked-tracer
            y = x / self.last
            if not keep:
                self.last = before
            return y

        return step(x)


def whole_loss(student, params, x):
    params["student"] = student  # ! leaked-tracer
    return jnp.sum(params["student"] * params["teacher"] * x)


def loss_of_a_copy(student, params, x):
    params = dict(params)
    params["student"] = student
    return jnp.sum(params["student"] * x)


def loss_with_a_constant(student, params, x):
    params["seen"] = x
    return jnp.sum(student * params["seen"])


@jax.jit
def distilled(params, x):
    grads = jax.grad(whole_loss)(params["student"], params, x)
    other = jax.grad(loss_of_a_copy)(params["student"], params, x)
    return grads + other + jax.grad(loss_with_a_constant)(params["student"], params, x)
