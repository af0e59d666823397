"""Globals that jitted functions read."""

import jax
import jax.numpy as jnp
import optax

rate = 0.1
factor = 2.0
table = None
steps = 0


def set_rate(value):
    global rate
    rate = value


@jax.jit
def scale(x):
    return x * rate  # ! stale-global


def init():
    global table
    table = [1.0, 2.0]


@jax.jit
def reads_a_constant(x):
    return x * factor


@jax.jit
def reads_what_is_set_up(x):
    return x * table[0]


@jax.jit
def takes_it_as_an_argument(x, rate):
    return x * rate


def eager(x):
    return x * rate


def count():
    global steps
    steps += 1
    return steps


weight = 1.0


def lighter(by):
    global weight
    weight = weight * by


def loss(x):
    return weight * x.sum()  # ! stale-global


@jax.jit
def step(x):
    return jax.grad(loss)(x)


def eager_loss(x):
    return weight * x.sum()


def shared_loss(x):
    return weight * x.sum()


@jax.jit
def shared_step(x):
    return jax.grad(shared_loss)(x)


def evaluate(xs):
    return [shared_loss(x) + eager_loss(x) for x in xs]


SETTINGS = {"temperature": 1.0, "top": 4}
LIMITS = {"top": 4}


@jax.jit
def drawn(logits):
    return logits / SETTINGS["temperature"]  # ! stale-global


@jax.jit
def limited(logits):
    return logits[: LIMITS["top"]] * SETTINGS["top"]


def cool(logits, steps):
    for _ in range(steps):
        print(drawn(logits), limited(logits))
        SETTINGS["temperature"] *= 0.5


def set_limits(**limits):
    for name, value in limits.items():
        LIMITS[name] = value


def with_own_settings(logits, steps):
    settings = {"top": 1}
    for number in range(steps):
        settings["top"] = number
        print(limited(logits), settings)


KINDS, UNITS = (), ()


def register(kind):
    global KINDS
    KINDS += (kind,)


def with_units(kind):
    global UNITS
    UNITS += (kind,)


with_units(list)


@jax.jit
def plain(x):
    return x if type(x) in KINDS else 2 * x  # ! stale-global


@jax.jit
def many(x):
    return x * len(UNITS)  # ! stale-global


def learn(kind, x):
    before = plain(x)
    register(kind)
    return before, plain(x), many(x)


scaling = offset = power = 1.0


@jax.jit
def scaled(x):
    return x * scaling


@jax.jit
def moved(x):
    return x + offset  # ! stale-global


@jax.jit
def raised(x):
    return x**power  # ! stale-global


def run(x):
    for _ in range(3):
        x = moved(scaled(x))
    return x


def main(x, by):
    global scaling, offset
    scaling = by  # before anything is compiled
    x = run(x)
    offset = by
    return run(x)


def sweep(x):
    global power
    for power in (1.0, 2.0):
        print(raised(x))


if __name__ == "__main__":
    main(1.0, 0.5)


transformation = optax.sgd(0.1)


@jax.jit
def descend(params, state, grads):
    updates, state = transformation.update(grads, state)  # ! stale-global
    return optax.apply_updates(params, updates), state


def train_with(rate, steps):
    global transformation
    transformation = optax.sgd(rate)
    params = jnp.ones(3)
    state = transformation.init(params)
    for _ in range(steps):
        params, state = descend(params, state, params)
    return params


def compare_rates(rates):
    return [train_with(rate, 10) for rate in rates]


growing = optax.sgd(0.1)


@jax.jit
def descend_longer(params, state, grads):
    updates, state = growing.update(grads, state)
    return optax.apply_updates(params, updates), state


def train_longer():
    """Each is traced for a size of its own."""
    global growing
    for size in range(3, 9):
        growing = optax.sgd(1 / size)
        params = jnp.ones(size)
        state = growing.init(params)
        for _ in range(10):
            params, state = descend_longer(params, state, params)
