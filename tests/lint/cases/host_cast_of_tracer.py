import math
from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

TABLE = np.arange(10)


@jax.jit
def number(x):
    return float(jnp.sum(x))  # ! host-cast-of-tracer


@jax.jit
def item(x):
    return x.sum().item()  # ! host-cast-of-tracer


@jax.jit
def root(x):
    return math.sqrt(x)  # ! host-cast-of-tracer


@jax.jit
def to_numpy(x):
    return np.asarray(x)  # ! host-cast-of-tracer


@jax.jit
def equal(x, y):
    return jnp.where(np.array_equal(x, y), x, y)  # ! host-cast-of-tracer


@jax.jit
def looked_up(i):
    return TABLE[i]  # ! host-cast-of-tracer


def loss(w, x):
    return jnp.sum(w * x) * float(w[0])  # ! host-cast-of-tracer


gradient = jax.grad(loss)


@jax.jit
def works(x):
    total = np.sum(x) + np.mean(x) + np.max(x)
    return np.reshape(x, (-1,)) * total + np.ndim(x) + np.shape(x)[0]


@jax.jit
def of_shape(x):
    return x / math.sqrt(x.shape[-1]) + float(x.ndim) + np.prod(x.shape) + int(x.size)


@jax.jit
def constants(x):
    return x * np.pi + np.array([1.0, 2.0]) + math.log(2.0) + np.sqrt(2.0)


@jax.jit
def numpy_on_numpy(x):
    return x + np.exp(TABLE).sum()


def outside(x):
    y = works(x)
    return float(y[0]), np.asarray(y), y.tolist(), TABLE[int(y[0])]


def branch_under_grad(w):
    return w * int(w > 0)


slope = jax.grad(branch_under_grad)


def on_host(x):
    return np.asarray(x).sum().item()


@jax.jit
def callback(x):
    return jax.pure_callback(on_host, jax.ShapeDtypeStruct((), jnp.float32), x)


@jax.jit
def careful(x):
    if isinstance(x, jax.core.Tracer):
        return x
    return float(x)


@jax.jit
def tries(x):
    try:
        return float(x)
    except jax.errors.ConcretizationTypeError:
        return x


def scaled(x, factor):
    return x * math.log(factor)


@jax.jit
def static_argument_of_helper(x):
    return scaled(x, 2.0)


@jax.jit
def fetches(w, x):
    loss, grads = jax.value_and_grad(lambda w: jnp.sum((w - x) ** 2))(w)
    grads = jax.tree.map(np.asarray, grads)  # ! host-cast-of-tracer
    loss = jax.tree_util.tree_map(float, loss)  # ! host-cast-of-tracer
    return grads, loss


@jax.jit
def stays(w, x):
    grads = jax.grad(lambda w: jnp.sum((w - x) ** 2))(w)
    shapes = jax.tree.map(np.shape, grads)
    sizes = jax.tree.map(np.asarray, shapes)
    return jax.tree.map(jnp.asarray, grads), sizes


def fetches_outside(w, x):
    grads = jax.grad(lambda w: jnp.sum((w - x) ** 2))(w)
    return jax.tree.map(np.asarray, grads)


@dataclass
class Run:
    step: jax.Array
    epoch: int


jax.tree_util.register_dataclass(Run, data_fields=["step"], meta_fields=["epoch"])


@jax.jit
def corrected(run: Run, loss):
    return loss / (1 - 0.9 ** _count(run)) * int(run.epoch)


def _count(run):
    return float(run.step + 1)  # ! host-cast-of-tracer


def shown(run: Run):
    return float(run.step), int(run.epoch)


def compiled(function, **options):
    return jax.jit(function, **options)


def compiled_too(function, **options):
    return compiled(function, **options)


@compiled
def first_rows(x, count):
    return x[: int(count)]  # ! host-cast-of-tracer


@compiled_too
def last_rows(x, count):
    return x[-int(count) :]  # ! host-cast-of-tracer


@partial(compiled, static_argnames=("count",))
def rows_by_name(x, count):
    return x[: int(count)]


@partial(compiled_too, static_argnums=1)
def rows_by_number(x, count):
    return x[: int(count)]


def every_row(x, count):
    return x[: int(count)]


def compiles_as_told(settings):
    return compiled_too(every_row, **settings)


class Tables:
    """A name that is a literal says which attribute it is."""

    def __init__(self, steps):
        self.betas = np.linspace(1e-4, 0.02, steps)
        setattr(self, "alphas", jnp.array(self.betas))


tables = Tables(100)


@jax.jit
def looked_up_in_tables(x, step):
    return x * tables.betas[step]  # ! host-cast-of-tracer


def counted(x, cap=None):
    if cap is None:
        cap = int(x.sum())  # ! host-cast-of-tracer
    return x * cap


def filled(x, cap=None):
    if cap is not None:
        return x * cap
    return x * int(x.sum())


def handed_on(x, cap=None):
    if cap is None:
        cap = int(x.sum())  # ! host-cast-of-tracer
    return x * cap


def pick(x, cap=None):
    with_cap = jax.lax.cond(x[0] > 0, partial(handed_on, cap=cap), lambda y: y, x)
    return with_cap + jax.lax.cond(x[0] > 0, partial(filled, cap=3), lambda y: y, x)


both = jax.jit(counted), jax.lax.map(partial(counted, cap=2), jnp.ones((3, 3)))


def counted_inside(x, cap=None, report=False, train=False):
    if cap is None:
        cap = int(x.sum())  # ! host-cast-of-tracer
    if report:
        print(float(x.mean()))  # ! host-cast-of-tracer
    if train:
        x = x / float(x.mean())  # ! host-cast-of-tracer
    return x * cap


@jax.jit
def leaves_it_out(x, options):
    return counted_inside(x, report=True) + counted_inside(x, cap=2, train=options)


def given_inside(x, cap=None):
    if cap is None:
        return x * int(x.sum())
    return x * int(x.sum() + cap)  # ! host-cast-of-tracer


@jax.jit
def gives_it(x):
    return given_inside(x, cap=2)


class Scaled(eqx.Module):
    """A size is a number, also of a layer whose input has a gradient."""

    heads: int = 2

    def __call__(self, x):
        parts = jnp.swapaxes(x.reshape(-1, self.heads, 4), 0, 1)
        shown = jnp.where(parts > 0, parts, 0)
        return shown / math.sqrt(jnp.sin(x).shape[-1]) / math.sqrt(jnp.shape(jnp.cos(x))[-1])


def restarted(count):
    return 0.1 * (1.0 + np.cos(np.pi * (count % 20) / 20))  # ! host-cast-of-tracer


def warmed_up(count):
    return 0.1 * min(1.0, float(count) / 100)  # ! host-cast-of-tracer


def decayed(count):
    return 0.1 * jnp.exp(-count / np.sqrt(100))


def drawn_by_hand(count):
    return 0.1 * np.exp(-count / 100)


optimizers = [
    optax.sgd(restarted),
    optax.chain(optax.clip_by_global_norm(1.0), optax.adam(learning_rate=warmed_up)),
    optax.adamw(decayed),
    optax.adam(drawn_by_hand(3)),
]
