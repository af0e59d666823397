import functools

import jax
import optax


def apply_all(tx: optax.GradientTransformation, grads, state, params):
    return apply_each(tx, grads, state, params)


def apply_each(tx: optax.GradientTransformation, grads, state, params):
    updates, state = tx.update(grads, state, params)  # ! eager-optimizer-update
    return optax.apply_updates(params, updates), state


@functools.partial(jax.jit, static_argnums=0)
def apply_all_well(tx: optax.GradientTransformation, grads, state, params):
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def evaluate(tx: optax.GradientTransformation, params, state):
    updates, state = tx.update(params, state, params)
    return updates
