import equinox as eqx
import jax
import optax
import pytest
from flax.training.train_state import TrainState

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


def annotated(grads, state, tx: optax.GradientTransformation):
    return tx.update(grads, state)  # ! update-without-params


def annotated_plain(grads, state, tx: optax.GradientTransformation):
    return tx.update(grads, state)


def annotated_either(grads, state, tx: optax.GradientTransformation):
    return tx.update(grads, state)  # ! update-without-params


def annotated_and_never_called(grads, state, tx: optax.GradientTransformation):
    return tx.update(grads, state)


def calls_them(grads, state):
    annotated(grads, state, optax.adamw(1e-3))
    annotated_plain(grads, state, optax.adam(1e-3))
    annotated_either(grads, state, optax.adam(1e-3))
    annotated_either(grads, state, optax.adamw(1e-3))


@eqx.filter_jit
def filtered_step(model, grads, state, tx):
    return tx.update(grads, state)  # ! update-without-params


@eqx.filter_jit
def filtered_plain(model, grads, state, tx: optax.GradientTransformation):
    return tx.update(grads, state)


def equinox_loop(model, grads):
    tx = optax.lion(1e-4)
    return filtered_step(model, grads, tx.init(model), tx)


def equinox_plain(model, grads):
    tx = optax.sgd(1e-4)
    return filtered_plain(model, grads, tx.init(model), tx)


def of_a_state(model, params, grads):
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(1e-3))
    return state.tx.update(grads, state.opt_state)  # ! update-without-params


def of_a_plain_state(model, params, grads):
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    return state.tx.update(grads, state.opt_state)


class OwnState(TrainState):
    key: jax.Array


def own_state(model, params, key):
    return OwnState.create(apply_fn=model.apply, params=params, tx=optax.lamb(1e-3), key=key)


@jax.jit
def own_step(state: OwnState, grads):
    return state.tx.update(grads, state.opt_state)  # ! update-without-params


@jax.jit
def own_good_step(state: OwnState, grads):
    return state.tx.update(grads, state.opt_state, state.params)


class EitherState(TrainState):
    pass


def either_state(model, params, decay):
    tx = optax.lamb(1e-3) if decay else optax.sgd(0.1)
    return EitherState.create(apply_fn=model.apply, params=params, tx=tx)


def either_step(state: EitherState, grads):
    return state.tx.update(grads, state.opt_state)


class OfParts:
    def __init__(self, trust=True):
        parts = [optax.scale_by_adam()]
        if trust:
            parts.append(optax.scale_by_trust_ratio())
        self.tx = optax.chain(*parts)
        self.step = jax.jit(self._step)

    def _step(self, weights, state, x):
        grads = jax.grad(lambda w: (w * x).sum())(weights)
        updates, state = self.tx.update(grads, state)  # ! update-without-params
        return optax.apply_updates(weights, updates), state

    def fit(self, weights, x):
        return self.step(weights, self.tx.init(weights), x)


class OfOtherParts:
    def __init__(self, trust=True):
        parts = [optax.scale_by_adam()]
        if trust:
            parts.append(optax.scale_by_rms())
        self.tx = optax.chain(*parts)
        self.step = jax.jit(self._step)

    def _step(self, weights, state, x):
        grads = jax.grad(lambda w: (w * x).sum())(weights)
        updates, state = self.tx.update(grads, state)
        return optax.apply_updates(weights, updates), state

    def fit(self, weights, x):
        return self.step(weights, self.tx.init(weights), x)
