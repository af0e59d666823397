"""Which argument of `apply_updates` are the parameters?"""

import jax
import optax
from optax import apply_updates


def known_optimizer(params, opt_state, grads):
    tx = optax.adam(1e-3)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(updates, params), opt_state  # ! apply-updates-swapped


def right_way_round(params, opt_state, grads):
    tx = optax.adam(1e-3)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def other_names(opt, theta, carried, grads):
    delta, carried = opt.update(grads, carried, theta)
    return apply_updates(delta, theta), carried  # ! apply-updates-swapped


def other_names_right(opt, theta, carried, grads):
    delta, carried = opt.update(grads, carried, theta)
    return apply_updates(theta, delta), carried


def by_keyword(opt, state, grads):
    deltas, opt_state = opt.update(grads, state.opt_state, params=state.weights_of)
    new = apply_updates(params=deltas, updates=state.weights_of)  # ! apply-updates-swapped
    return new, opt_state


def keywords_in_another_order(opt, state, grads):
    updates, opt_state = opt.update(grads, state.opt_state, params=state.params)
    return optax.apply_updates(updates=updates, params=state.params), opt_state


def in_one_line(opt, opt_state, params, grads):
    return optax.apply_updates(opt.update(grads, opt_state)[0], params)  # ! apply-updates-swapped


def differentiated(opt, opt_state, layers, batch, loss):
    grads = jax.grad(loss)(layers, batch)
    steps, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(steps, layers), opt_state  # ! apply-updates-swapped


def data_of_the_gradient(opt, opt_state, layers, batch, loss):
    grads = jax.grad(loss)(layers, batch)
    steps, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(layers, steps), optax.apply_updates(steps, batch)


def scaled_in_between(opt, opt_state, params, grads):
    updates, opt_state = opt.update(grads, opt_state, params)
    updates = jax.tree.map(lambda u: 0.5 * u, updates)
    return optax.apply_updates(updates, params)  # ! apply-updates-swapped


def helper(model_updates, model_params):
    return optax.apply_updates(model_updates, model_params)  # ! apply-updates-swapped


def right_helper(model_params, model_updates):
    return optax.apply_updates(model_params, model_updates)


def summed_updates(first, second, opt_state, params, grads):
    updates, _ = first.update(grads, opt_state, params)
    more_updates, _ = second.update(grads, opt_state, params)
    return optax.apply_updates(updates, more_updates)


def sum_of_gradients(state, updates):
    return optax.apply_updates(state.aggregate_grads, updates)


def unknown_second(opt, opt_state, params, grads, offset):
    updates, _ = opt.update(grads, opt_state, params)
    return optax.apply_updates(updates, offset)


def unknown_first(values, params):
    return optax.apply_updates(values, params)


def parameters_of_another_name(updated, weights):
    return optax.apply_updates(updated, weights)


def update_of_a_dict(table, key, value, params):
    first, second = table.update(key)
    return optax.apply_updates(first, params), second, value


def own_function(tree, updates, params):
    def apply_updates(updates, params):
        return jax.tree.map(lambda p, u: p + u, params, updates)

    return apply_updates(updates, params), tree


def moved_parameters(opt, params, opt_state, grads):
    updates, opt_state = opt.update(grads, opt_state, params)
    params = optax.apply_updates(params, updates)
    params, updates = optax.incremental_update(params, params, 0.1), None
    return params, updates, opt_state


def second_step(opt, params, opt_state, grads):
    params_update, opt_state = opt.update(grads, opt_state)
    new_params = optax.apply_updates(params, params_update)
    return new_params, opt_state


def through_a_scan(opt, params, opt_state, batches, grad):
    def body(carry, batch):
        params, opt_state = carry
        updates, opt_state = opt.update(grad(params, batch), opt_state)
        return (apply_updates(updates, params), opt_state), None  # ! apply-updates-swapped

    return jax.lax.scan(body, (params, opt_state), batches)[0]
