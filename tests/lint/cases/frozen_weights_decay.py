import jax
import jax.numpy as jnp
import optax


def make(rate):
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.1))


def by_mask(tx, params, state, grads, trainable):
    if trainable is not None:
        grads = jax.tree.map(
            lambda grad, keep: jnp.where(keep, grad, jnp.zeros_like(grad)), grads, trainable
        )
    updates, state = tx.update(grads, state, params)  # ! frozen-weights-decay
    return optax.apply_updates(params, updates), state


def by_path(state, grads):
    def keep(path, grad):
        if path[0].key == "encoder":
            return jnp.zeros_like(grad)
        return grad

    masked = jax.tree_util.tree_map_with_path(keep, grads)
    return state.apply_gradients(grads=masked)  # ! frozen-weights-decay


def by_choice(state, grads, frozen):
    grads = jax.tree.map(lambda g, f: jnp.zeros_like(g) if f else g, grads, frozen)
    return state.apply_gradients(grads=grads)  # ! frozen-weights-decay


def updates_to_zero(tx, params, state, grads, trainable):
    updates, state = tx.update(grads, state, params)
    updates = jax.tree.map(lambda u, keep: jnp.where(keep, u, 0.0), updates, trainable)
    return optax.apply_updates(params, updates), state


def without_nan(tx, params, state, grads):
    grads = jax.tree.map(lambda g: jnp.where(jnp.isfinite(g), g, 0.0), grads)
    return tx.update(grads, state, params)


def sum_of_two(tx, params, state, grads, others):
    grads = jax.tree.map(lambda g, h: g + h, grads, others)
    return tx.update(grads, state, params)


def of_a_dict(state, grads):
    found = {}
    found.update(grads, state=state, more=1)
    return found
