import pickle
from multiprocessing import Pool

import cloudpickle
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class State(TrainState):
    extra: int = 0


@jax.jit
def step(x):
    return x + 1


def plain(x):
    return x + 1


def train_state(model, params, file):
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    pickle.dump(state, file)  # ! closure-pickled


def own_state(model, params, file):
    state = State.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    pickle.dump({"state": state}, file)  # ! closure-pickled


def its_arrays(model, params, file):
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    pickle.dump(jax.device_get(state.params), file)


def optimizer_state(params, file):
    pickle.dump(jax.device_get(optax.adam(1e-3).init(params)), file)


def by_value():
    return cloudpickle.dumps(optax.adam(1e-3))


def jitted():
    return pickle.dumps(step)  # ! closure-pickled


def module_function():
    return pickle.dumps(plain)


def pooled(xs):
    with Pool() as pool:
        return pool.map(lambda x: x + 1, xs)  # ! closure-pickled


def pooled_function(xs):
    with Pool() as pool:
        return pool.map(plain, xs)


def mapped(xs):
    return list(map(lambda x: jnp.sum(x), xs))
