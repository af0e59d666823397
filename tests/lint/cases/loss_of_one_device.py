import functools

import jax
import jax.numpy as jnp
import optax
from flax import jax_utils

tx = optax.adam(1e-3)


def loss_fn(params, x):
    return jnp.mean(params["w"] * x)


def reduced_loss(params, x):
    return jax.lax.pmean(loss_fn(params, x), "i")


@functools.partial(jax.pmap, axis_name="i", donate_argnums=(0, 1))
def update(params, opt_state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    grads = jax.lax.pmean(grads, "i")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss  # ! loss-of-one-device


def evaluate(params, x):
    grad_fn = jax.value_and_grad(lambda p: (loss_fn(p, x), x), has_aux=True)
    (loss, _), _ = grad_fn(params)
    metrics = {"loss": loss}  # ! loss-of-one-device
    return metrics


p_evaluate = jax.pmap(evaluate, "i")


def read(params, opt_state, xs):
    for x in xs:
        params, opt_state, loss = update(params, opt_state, x)
        print(loss[0])
        metrics = p_evaluate(params, x)
        print(jax.device_get(jax.tree.map(lambda x: x[0], metrics)))


def make_step():
    def step(params, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        grads = jax.lax.psum(grads, "i")
        params = jax.tree.map(lambda p, g: p - g, params, grads)
        return params, loss  # ! loss-of-one-device

    return jax.pmap(step, axis_name="i")


def use(params, xs):
    step = make_step()
    for x in xs:
        params, loss = step(params, x)
        print(jax_utils.unreplicate(loss))


# Right


@functools.partial(jax.pmap, axis_name="i")
def averaged(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    loss, grads = jax.lax.pmean((loss, grads), "i")
    return params, loss


@functools.partial(jax.pmap, axis_name="i")
def averaged_by_name(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    loss = jax.lax.pmean(loss, axis_name="i")
    return params, loss


@functools.partial(jax.pmap, axis_name="i")
def reduced_inside(params, x):
    loss, grads = jax.value_and_grad(reduced_loss)(params, x)
    return params, loss


@functools.partial(jax.pmap, axis_name="i")
def all_are_read(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return params, loss


@jax.pmap
def models_of_their_own(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return params, loss


def right(params, x):
    params, loss = averaged(params, x)
    print(loss[0])
    params, loss = averaged_by_name(params, x)
    print(jax_utils.unreplicate(loss))
    params, loss = reduced_inside(params, x)
    print(loss[0])
    params, loss = all_are_read(params, x)
    print(loss.mean())
    params, loss = models_of_their_own(params, x)
    print(loss[0])
