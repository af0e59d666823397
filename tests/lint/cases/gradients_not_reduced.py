"""Gradients of one device that leave `shard_map` as if they were those of all."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from elsewhere import reduced, remote_loss
from jax.experimental.shard_map import shard_map
from jax.sharding import PartitionSpec
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((4,), ("data",))
unchecked = partial(
    jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False
)


def loss(w, x):
    return jnp.mean(w * x)


def mean_loss(w, x):
    return jax.lax.pmean(jnp.mean(w * x), "data")


def gathered_loss(w, x):
    return jnp.mean(w * jax.lax.all_gather(x, "data"))


@unchecked
def returned(w, x):
    return jax.grad(loss)(w, x)  # ! gradients-not-reduced


@unchecked
def moved(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)  # ! gradients-not-reduced
    w = jax.tree.map(lambda p, g: p - 0.1 * g, w, grads)
    return w, jax.lax.pmean(value, "data")


@unchecked
def only_the_loss_is_averaged(w, x):
    grads = jax.grad(mean_loss)(w, x)  # ! gradients-not-reduced
    return w - grads


def by_optimizer(state, batch):
    tx = optax.chain(optax.clip(1.0), optax.adam(1e-3))
    params, opt_state = state

    def local(params):
        return jnp.mean((batch @ params) ** 2)

    grads = jax.grad(local)(params)  # ! gradients-not-reduced
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


step = shard_map(
    by_optimizer,
    mesh=mesh,
    in_specs=(PartitionSpec(), PartitionSpec("data")),
    out_specs=(PartitionSpec(), PartitionSpec()),
    check_rep=False,
)


class State(NamedTuple):
    params: jax.Array
    step: jax.Array


@unchecked
def in_a_state(state, x):
    grads = jax.grad(loss)(state.params, x)  # ! gradients-not-reduced
    return state._replace(params=state.params - grads), State(grads, state.step)


@unchecked
def averaged(w, x):
    return jax.lax.pmean(jax.grad(loss)(w, x), "data")


@unchecked
def averaged_later(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    grads = jax.tree.map(lambda g: jax.lax.psum(g, "data") / 4, grads)
    return w - grads, jax.lax.pmean(value, "data")


@unchecked
def averaged_with_the_loss(w, x):
    both = jax.lax.pmean(jax.value_and_grad(loss)(w, x), "data")
    return both


@unchecked
def new_weights_are_averaged(w, x):
    new = w - jax.grad(loss)(w, x)
    return jax.lax.pmean(new, "data")


@unchecked
def by_a_helper(w, x):
    return reduced(jax.grad(loss)(w, x))


@unchecked
def by_an_inner_function(w, x):
    def mean(g):
        return jax.lax.pmean(g, "data")

    return jax.tree.map(mean, jax.grad(loss)(w, x))


def all_reduce(grads):
    return jax.lax.pmean(grads, "data")


@unchecked
def by_a_function_of_this_file(w, x):
    return all_reduce(jax.grad(loss)(w, x))


@unchecked
def of_another_file(w, x):
    return jax.grad(remote_loss)(w, x)


@unchecked
def of_all_data(w, x):
    return jax.grad(gathered_loss)(w, x)


def with_an_optimizer_of_the_caller(tx):
    @unchecked
    def step(w, x):
        grads = jax.grad(loss)(w, x)
        updates, _ = tx.update(grads, tx.init(w), w)
        return optax.apply_updates(w, updates)

    return step


@unchecked
def only_a_metric(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    return jax.lax.pmean(value, "data"), jax.lax.pmax(optax.global_norm(grads), "data")


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def checked(w, x):
    return jax.grad(mean_loss)(w, x)


@partial(
    jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"), check_vma=False
)
def of_each_device(w, x):
    return jax.grad(loss)(w, x)


@partial(
    jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P(), check_vma=False
)
def of_weights_that_differ(w, x):
    return jax.grad(loss)(w, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P()), out_specs=P(), check_vma=False)
def of_the_same_data(w, x):
    return jax.grad(loss)(w, x)


@unchecked
def averaged_where_it_is_returned(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    return jax.lax.pmean(value, "data"), jax.tree.map(lambda g: jax.lax.pmean(g, "data"), grads)


@unchecked
def averaged_if_asked(w, x, axis=None):
    grads = jax.grad(loss)(w, x)
    if axis is not None:
        grads = jax.lax.pmean(grads, axis)
    return grads


@unchecked
def by_a_part_of_the_optimizer(w, x):
    tx = optax.chain(optax.stateless(lambda g, p: all_reduce(g)), optax.sgd(0.1))
    updates, _ = tx.update(jax.grad(loss)(w, x), tx.init(w), w)
    return optax.apply_updates(w, updates)


@unchecked
def weights_of_all_devices(w, x):
    w = jax.lax.all_gather(w, "data")
    return jax.grad(loss)(w, x)


def told_elsewhere(specs):
    def inner(w, x):
        return jax.grad(loss)(w, x)

    return jax.shard_map(inner, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)


def checked_or_not(check):
    def inner(w, x):
        return jax.grad(loss)(w, x)

    specs = (P(), P("data"))
    return jax.shard_map(inner, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=check)


def one_of_two(many):
    def inner(w, x):
        return jax.grad(loss)(w, x)

    out = P()
    if many:
        out = P("data")
    specs = (P(), P("data"))
    return jax.shard_map(inner, mesh=mesh, in_specs=specs, out_specs=out, check_vma=False)


# Under pmap

tx = optax.adam(1e-3)


@partial(jax.pmap, axis_name="i", donate_argnums=(0, 1))
def own_optimizer(params, opt_state, x):
    value, grads = jax.value_and_grad(loss)(params, x)  # ! gradients-not-reduced
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, value


def by_state(state, x):
    grads = jax.grad(loss)(state.params, x)  # ! gradients-not-reduced
    return state.apply_gradients(grads=grads)


p_by_state = jax.pmap(by_state, "batch")


@partial(jax.pmap, axis_name="i")
def averaged_before(params, opt_state, x):
    grads = jax.grad(loss)(params, x)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def exchange(tree):
    return jax.tree.map(lambda leaf: jax.lax.pmean(leaf, "i"), tree)


@partial(jax.pmap, axis_name="i")
def exchanged_after(params, opt_state, x):
    grads = jax.grad(loss)(params, x)
    updates, opt_state = tx.update(grads, opt_state)
    return exchange(optax.apply_updates(params, updates)), opt_state


@jax.pmap
def several_models(params, opt_state, x):
    grads = jax.grad(loss)(params, x)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@partial(jax.pmap, axis_name="i")
def no_update(params, x):
    return jax.grad(loss)(params, x)
