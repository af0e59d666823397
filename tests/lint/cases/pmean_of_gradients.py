from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((4,), ("data",))


def loss(w, x):
    return jnp.mean(w * x)


def mean_loss(w, x):
    return jax.lax.pmean(jnp.mean(w * x), "data")


def old_idiom(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    value = jax.lax.pmean(value, "data")
    return value, jax.lax.psum(grads, "data")  # ! pmean-of-gradients


run_old = jax.shard_map(old_idiom, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def decorated(w, x):
    return jax.lax.pmean(jax.grad(loss)(w, x), "data")  # ! pmean-of-gradients


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def unchecked(w, x):
    return jax.lax.pmean(jax.grad(loss)(w, x), "data")


@partial(jax.pmap, axis_name="data")
def replicated(w, x):
    return jax.lax.pmean(jax.grad(loss)(w, x), "data")


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def varying_first(w, x):
    w = jax.lax.pcast(w, "data", to="varying")
    return jax.lax.pmean(jax.grad(loss)(w, x), "data")


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def mean_of_the_loss(w, x):
    value, grads = jax.value_and_grad(mean_loss)(w, x)
    return jax.lax.pmean(value, "data"), grads


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def both_at_once(w, x):
    return jax.lax.pmean(jax.value_and_grad(loss)(w, x), "data")  # ! pmean-of-gradients


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def as_a_pair(w, x):
    value, grads = jax.value_and_grad(loss)(w, x)
    return jax.lax.pmean((value, grads), "data")  # ! pmean-of-gradients


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def leaf_by_leaf(w, x):
    grads = jax.grad(loss)(w, x)
    return jax.tree.map(lambda g: jax.lax.pmean(g, "data"), grads)  # ! pmean-of-gradients


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def sum_over_count(w, x):
    grads = jax.grad(loss)(w, x)
    return jax.tree.map(lambda g: jax.lax.psum(g, "data") / 4, grads)  # ! pmean-of-gradients


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def other_leaves(w, x):
    value, grads = jax.value_and_grad(mean_loss)(w, x)
    metrics = jax.tree.map(lambda m: jax.lax.pmean(m, "data"), {"loss": value})
    return metrics, jax.tree.map(lambda g: 0.1 * g, grads)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def pair_of_metrics(w, x):
    value, grads = jax.value_and_grad(mean_loss)(w, x)
    return jax.lax.pmean((value, jnp.sum(x)), "data"), grads


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def unchecked_leaf_by_leaf(w, x):
    grads = jax.grad(loss)(w, x)
    return jax.tree.map(lambda g: jax.lax.pmean(g, "data"), grads)


@partial(jax.pmap, axis_name="data")
def replicated_leaf_by_leaf(w, x):
    grads = jax.grad(loss)(w, x)
    return jax.tree.map(lambda g: jax.lax.pmean(g, "data"), grads)


def averaged(slopes):
    return jax.lax.pmean(slopes, "data")  # ! pmean-of-gradients


def value_and_slopes(w, x):
    return jax.value_and_grad(loss)(w, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def by_helpers(w, x):
    value, grads = value_and_slopes(w, x)
    grads = averaged(grads)
    return jax.lax.pmean(value, "data"), grads


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def all_by_a_helper(w, x):
    value, grads = jax.lax.pmean(value_and_slopes(w, x), "data")  # ! pmean-of-gradients
    return value, grads


def averaged_metrics(values):
    return jax.lax.pmean(values, "data")


def slopes_of_a_mean(w, x):
    return jax.value_and_grad(mean_loss)(w, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def only_the_loss_by_a_helper(w, x):
    value, grads = slopes_of_a_mean(w, x)
    return averaged_metrics(value), grads


def slopes_of_what_varies(w, x):
    return jax.grad(loss)(w, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def varying_before_the_helper(w, x):
    w = jax.lax.pcast(w, "data", to="varying")
    return jax.lax.pmean(slopes_of_what_varies(w, x), "data")


def averaged_where_it_is_right(slopes):
    return jax.lax.pmean(slopes, "data")


def slopes_unchecked(w, x):
    return jax.grad(loss)(w, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def unchecked_by_helpers(w, x):
    return averaged_where_it_is_right(slopes_unchecked(w, x))


unchecked_map = partial(jax.shard_map, mesh=mesh, check_vma=False)


def under_the_projects_own(w, x):
    return jax.lax.pmean(jax.grad(loss)(w, x), "data")


run_unchecked = unchecked_map(under_the_projects_own, in_specs=(P(), P("data")), out_specs=P())
