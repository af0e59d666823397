import jax
import optax
import pytest

decayed = optax.adamw(1e-3)
plain = optax.adam(1e-3)
chained = optax.chain(optax.clip(1.0), optax.scale_by_adam(), optax.add_decayed_weights(0.1), optax.scale(-1e-3))


def crashes(grads, state):
    return decayed.update(grads, state)  # ! update-without-params


def none_is_given(grads, state):
    return chained.update(grads, state, None)  # ! update-without-params


def given(grads, state, params):
    return decayed.update(grads, state, params)


def given_by_name(grads, state, params):
    return decayed.update(grads, state, params=params)


def not_needed(grads, state):
    return plain.update(grads, state)


def starred(grads, state, *rest):
    return decayed.update(grads, state, *rest)


def unknown(tx, grads, state):
    return tx.update(grads, state)


def either(grads, state, decay):
    tx = optax.adamw(1e-3) if decay else optax.adam(1e-3)
    return tx.update(grads, state)


def expected(grads, state):
    with pytest.raises(ValueError):
        decayed.update(grads, state)


class Learner:
    def __init__(self):
        self.tx = optax.lion(1e-4)

    @jax.jit
    def good(self, grads, state, params):
        return self.tx.update(grads, state, params)


class BadLearner:
    def __init__(self):
        self.tx = optax.lion(1e-4)

    def step(self, grads, state, params):
        return self.tx.update(grads, state)  # ! update-without-params
