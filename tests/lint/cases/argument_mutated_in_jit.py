"""Stores into dictionaries that a compiled function was given."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState


def loss_fn(params, x):
    return jnp.sum((params["w"] * x) ** 2)


@jax.jit
def descend(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    params["w"] = params["w"] - 0.1 * grads["w"]  # ! argument-mutated-in-jit
    return loss


@jax.jit
def descend_well(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    params["w"] = params["w"] - 0.1 * grads["w"]
    return params, loss


@partial(jax.jit, static_argnames="rate")
def by_alias(params, x, rate):
    new = params
    for name, value in params.items():
        x = x + value
    new["w"] = rate * x  # ! argument-mutated-in-jit
    return x


@jax.jit
def alias_returned(params, x):
    new = params
    new["w"] = x
    return new


@jax.jit
def alias_before(params, x):
    old = {"params": params}
    params["w"] = x
    return old


@jax.jit
def counts(state, x):
    state["count"] += 1  # ! argument-mutated-in-jit
    return jnp.sum(x)


@jax.jit
def updates(state, x):
    y = x * state["scale"]
    state.update({"mean": y.mean(), "var": y.var()})  # ! argument-mutated-in-jit
    return y


@jax.jit
def deep(params, x):
    y = x @ params["dense"]["kernel"]
    params["dense"]["kernel"] = params["dense"]["kernel"] * 0.9  # ! argument-mutated-in-jit
    return y


@jax.jit
def deep_part_kept(params, x):
    dense = params["dense"]
    params["dense"]["kernel"] = x
    return dense


@eqx.filter_jit
def filtered(cache, x):
    cache["last"] = x  # ! argument-mutated-in-jit
    return x * 2


def plain(metrics, x):
    metrics["sum"] = jnp.sum(x)  # ! argument-mutated-in-jit


plain_compiled = jax.jit(plain)


def also_called(metrics, x):
    metrics["sum"] = jnp.sum(x)


also_compiled = jax.jit(also_called)


@jax.jit
def caller(metrics, x):
    also_called(metrics, x)
    return metrics


def helper(batch):
    batch["image"] = batch["image"] / 255


@jax.jit
def prepares(batch):
    helper(batch)
    return batch


@jax.jit
def reads_later(batch, params):
    batch["image"] = batch["image"] / 255
    return loss_fn(params, batch["image"])


@jax.jit
def passes_on(batch, params):
    batch["image"] = batch["image"] / 255
    return loss_fn(params, batch)


@jax.jit
def in_a_loop(params, xs):
    total = 0.0
    for x in (1.0, 2.0):
        total += params["w"] * x
        params["w"] = params["w"] * xs
    return total


@jax.jit
def copied(params, x):
    params = dict(params)
    params["w"] = x
    return x


@jax.jit
def another_copy(params, x):
    new = params.copy()
    new["w"] = x
    return x


@jax.jit
def captured(params, x):
    def inner(y):
        return y * params["w"]

    params["w"] = x
    return inner(x)


@jax.jit
def kept_by_an_object(params, x, tx):
    state = TrainState.create(apply_fn=None, params=params, tx=optax.sgd(0.1))
    params["w"] = x
    return state


@jax.jit
def kept_in_a_list(params, x):
    every = []
    every.append(params)
    params["w"] = x
    return every


@jax.jit
def kept_by_a_stranger(params, x, model):
    bound = model.bind(params)
    params["w"] = x
    return bound


def loss_with_notes(params, notes):
    notes["seen"] = params["w"]
    return params["w"].sum()


@jax.jit
def side_channel(params):
    notes = {}
    grads = jax.grad(loss_with_notes)(params, notes)
    return grads, notes


@nnx.jit
def of_nnx(state, x):
    state["w"] = x
    return x


@jax.jit
def local(x):
    metrics = {}
    metrics["sum"] = x.sum()
    return x


@jax.jit
def keywords(x, **options):
    options["scale"] = 2
    return x


@jax.jit
def reference(ref, x):
    ref[...] = x
    return x


def eager(params, x):
    params["w"] = x
    return x


def carry(state, x):
    state["sum"] = state["sum"] + x
    return state, x


def scanned(state, xs):
    return jax.lax.scan(carry, state, xs)


def carry_lost(state, x):
    state["sum"] = state["sum"] + x  # ! argument-mutated-in-jit
    return {"sum": x}, x


def scanned_lost(state, xs):
    return jax.lax.scan(carry_lost, state, xs)


@jax.jit
def on_one_branch(params, x, y=None):
    if y is not None:
        params["w"] = y
        return params
    return x


@jax.jit
def one_after_the_other(params, grads):
    params["w"] = params["w"] - 0.1 * grads["w"]  # ! argument-mutated-in-jit
    params["b"] = params["b"] - 0.1 * grads["b"]  # ! argument-mutated-in-jit
    return jnp.sum(grads["w"])


@jax.jit
def other_key_read(batch):
    batch["image"] = batch["image"] / 255  # ! argument-mutated-in-jit
    return batch["label"]


@jax.jit
def some_key_read(batch, name):
    batch["image"] = batch["image"] / 255
    return [batch[key] for key in ("image", "label")]


@jax.jit
def deep_read(params, x):
    params["dense"] = {"kernel": x}
    return params["dense"]["kernel"]


@jax.jit
def in_a_loss(params, xs):
    def loss_fn(params):
        def layer(x, weights):
            y = x * weights["scale"]
            weights["scale"] = weights["scale"] * 0.9  # ! argument-mutated-in-jit
            return y, None

        return jax.lax.scan(layer, 1.0, params)[0]

    return jax.grad(loss_fn)(params)


@jax.tree_util.register_pytree_node_class
class Particles:
    def __init__(self, position, velocity):
        self.position, self.velocity = position, velocity

    def tree_flatten(self):
        return (self.position, self.velocity), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

    @property
    def spread(self):
        return self.position.std()

    def energy(self):
        return jnp.sum(self.position**2)

    @jax.jit
    def put(self, index, other):
        self.position = self.position.at[index].set(other.position)  # ! argument-mutated-in-jit
        self.velocity = self.velocity.at[index].set(other.velocity)  # ! argument-mutated-in-jit

    @jax.jit
    def moved(self, dt):
        self.position = self.position + dt * self.velocity
        return self

    @jax.jit
    def slowed(self, by):
        energy = self.energy()
        self.velocity *= by  # ! argument-mutated-in-jit
        return energy

    @jax.jit
    def energy_after(self, dt):
        self.position = self.position + dt * self.velocity
        return self.energy()

    @jax.jit
    def spread_after(self, dt):
        self.position = self.position + dt * self.velocity
        return self.spread

    def nudge(self, dt):
        self.position = self.position + dt

    @partial(jax.jit, static_argnums=0)
    def counted(self, x):
        self.count = 3
        return x


class Plain:
    @jax.jit
    def keep(self, x):
        self.last = x
        return x


@jax.jit
def logged(state, losses, x):
    loss = jnp.sum(state.position * x)
    losses.append(loss)  # ! argument-mutated-in-jit
    state.extra["loss"] = loss  # ! argument-mutated-in-jit
    return loss


@jax.jit
def logged_well(state, losses, x):
    losses.append(jnp.sum(state.position * x))
    return losses


@jax.jit
def kept_part(state, x):
    extra = state.extra
    state.extra["loss"] = x
    return extra


particles = Particles(jnp.ones(3), jnp.ones(3))
particles.put(jnp.arange(2), particles)
Plain().keep(jnp.ones(3))
