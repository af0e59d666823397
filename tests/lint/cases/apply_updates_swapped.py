import jax
import optax
from optax import apply_updates


@jax.jit
def step(params, opt_state, grads):
    tx = optax.adam(1e-3)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(updates, params), opt_state  # ! apply-updates-swapped


def by_keyword(tx: optax.GradientTransformation, params, state, grads):
    changes, state = tx.update(grads, state, params)
    return apply_updates(updates=params, params=changes), state  # ! apply-updates-swapped


class Learner:
    def __init__(self, rate):
        self.tx = optax.sgd(rate)

    def learn(self, params, state, grads):
        result = self.tx.update(grads, state, params)
        params = optax.apply_updates(result[0], params)  # ! apply-updates-swapped
        return params, result[1]


def in_order(params, opt_state, grads):
    tx = optax.adam(1e-3)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


def by_keywords_in_order(tx: optax.GradientTransformation, params, state, grads):
    changes, state = tx.update(grads, state, params)
    return apply_updates(updates=changes, params=params), state


def names_alone(updates, params):
    return optax.apply_updates(updates, params)


def added_up(params, state, grads, more):
    tx = optax.adam(1e-3)
    updates, state = tx.update(grads, state, params)
    others, more = tx.update(grads, more, params)
    return optax.apply_updates(params, optax.apply_updates(updates, others))


def scaled(params, state, grads):
    tx = optax.adam(1e-3)
    updates, state = tx.update(grads, state, params)
    updates = jax.tree.map(lambda u: 0.5 * u, updates)
    return optax.apply_updates(params, updates)
