import pickle
from collections.abc import Callable
from multiprocessing import Pool

import cloudpickle
import jax
import jax.numpy as jnp
import optax
from flax import struct
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


def pooled_by_keyword(xs):
    with Pool() as pool:
        return pool.map(func=lambda x: x + 1, iterable=xs)  # ! closure-pickled


def called_back(x, results):
    """A callback stays in the process that asked."""
    with Pool() as pool:
        pool.apply_async(plain, (x,), {}, lambda y: results.append(y))
        pool.apply_async(plain, args=(x,), callback=lambda y: results.append(y))


def mapped(xs):
    return list(map(lambda x: jnp.sum(x), xs))


class Trainer:
    schedules = {"cosine": optax.cosine_decay_schedule(1e-3, 100)}
    optimizer_of_all = optax.sgd(0.1)

    def __init__(self, width):
        self.width = width
        self.optimizer = optax.adamw(1e-2)

    def save(self, file):
        pickle.dump(self, file)  # the class below knows how

    def save_settings(self, file):
        pickle.dump(self.width, file)


class Careful(Trainer):
    def __getstate__(self):
        return {"width": self.width}


class Compiled:
    def __init__(self):
        self.step = jax.jit(plain)

    def save(self, file):
        pickle.dump(self, file)  # ! closure-pickled


class Light:
    """What the class holds is not pickled with its objects."""

    optimizer = optax.adam(1e-3)
    table = {"double": lambda x: 2 * x}

    def __init__(self, width):
        self.width = width
        self.call = plain

    @jax.jit
    def step(self, x):
        return x


class Optional:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        if optimizer is None:
            self.optimizer = optax.adam(1e-3)

    def __call__(self):
        self.optimizer = None


def objects(file):
    pickle.dump(Trainer(3), file)  # ! closure-pickled
    pickle.dump({"trainer": Trainer(3)}, file)  # ! closure-pickled
    compiled = Compiled()
    pickle.dump(compiled, file)  # ! closure-pickled
    pickle.dump(Careful(3), file)
    pickle.dump(Light(3), file)
    pickle.dump(Optional(None), file)  # ! closure-pickled
    cloudpickle.dump(Trainer(3), file)


def fetched_state(model, params, file):
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    pickle.dump(jax.device_get(state), file)  # ! closure-pickled
    pickle.dump({"state": jax.device_get(state)}, file)  # ! closure-pickled
    pickle.dump({"params": jax.device_get(state.params)}, file)
    pickle.dump(jax.device_get(state.replace(tx=None).params), file)


class Prepared:
    def __init__(self):
        self.fill()

    def fill(self):
        self.step = jax.jit(plain)

    def run(self, x):
        self.last = lambda: x
        return self.step(x)


def by_a_helper(file):
    prepared = Prepared()
    pickle.dump(prepared, file)  # ! closure-pickled


class OnDemand:
    def __init__(self, data):
        self.data = data

    def sample(self, key):
        if not hasattr(self, "draw"):

            @jax.jit
            def draw(key):
                return jax.random.choice(key, len(self.data))

            self.draw = draw
        return self.draw(key)


def never_asked(data, file):
    buffer = OnDemand(data)
    pickle.dump(buffer, file)


def asked_before(data, key, file):
    buffer = OnDemand(data)
    buffer.sample(key)
    pickle.dump(buffer, file)  # ! closure-pickled


def annotated(state: TrainState, other: State, file):
    pickle.dump(state, file)  # ! closure-pickled
    pickle.dump(jax.device_get(state), file)  # ! closure-pickled
    pickle.dump({"state": other}, file)  # ! closure-pickled
    pickle.dump(jax.device_get(other.params), file)


def schedule(file):
    pickle.dump(optax.cosine_decay_schedule(0.1, 100), file)  # ! closure-pickled


@struct.dataclass
class Walker:
    place: int
    move: Callable = struct.field(pytree_node=False)


def moved(walker, place):
    return walker.replace(place=walker.move(place))


def walk(file, steps=5):
    walker = Walker(0, lambda place: place + 1)
    for place in range(steps):
        walker = moved(walker, place)
    pickle.dump(walker, file)  # ! closure-pickled


walk(open("walker.pkl", "wb"))
