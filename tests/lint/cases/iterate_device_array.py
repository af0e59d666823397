"""Arrays whose elements the host reads, and loops that leave them on the device."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.maps import xmap


@jax.jit
def step(w, x):
    return w - 0.1 * x


@jax.jit
def score(x):
    return jnp.tanh(x)


def cast(x):
    for value in jnp.exp(x):
        print(float(value))  # ! iterate-device-array


def item_of_a_result(x):
    values = score(jnp.asarray(x))
    return [value.item() for value in values]  # ! iterate-device-array


def numbered(x):
    values = jnp.sort(x)
    for i, value in enumerate(values):
        print(i, f"{value:.3f}")  # ! iterate-device-array


def beside_names(x, names):
    norms = jnp.linalg.norm(x, axis=-1)
    for name, norm in zip(names, norms, strict=True):
        if norm > 1:  # ! iterate-device-array
            print(name)


def printed(x):
    for value in jnp.cumsum(x):
        print(value)  # ! iterate-device-array


def by_index(x):
    values = jnp.cumsum(x)
    total = 0.0
    for i in range(len(values)):
        total += float(values[i])  # ! iterate-device-array
    return total


def by_two_indices(x, names):
    table = jnp.outer(x, x)
    for row in range(len(names)):
        for column in range(len(names)):
            print(names[row], int(table[row, column]))  # ! iterate-device-array


def fetched_before(x):
    for value in np.asarray(jnp.exp(x)):
        print(float(value))


def as_a_list(x):
    return [float(value) for value in jnp.exp(x).tolist()]


def fetched_under_a_name(x):
    values = jax.device_get(jnp.exp(x))
    for i in range(len(values)):
        print(float(values[i]))


def batches_on_the_device(w, x):
    for batch in jnp.split(x, 4):
        w = step(w, batch)
    return w


def rows_for_a_step(w, x):
    rows = jnp.stack([x, x])
    for row in rows:
        w = step(w, row)
        print(float(w[0]))
    return w


def keys(key):
    for each in jax.random.split(key, 8):
        print(jax.random.normal(each))


def new_at_each_turn(x):
    for i in range(10):
        x = score(jnp.asarray(x))
        print(float(x[i]))


def slices(x):
    values = jnp.exp(x)
    for i in range(10):
        print(np.asarray(values[i : i + 2]))


def a_few(x):
    low, high = jnp.min(x), jnp.max(x)
    for value in (low, high):
        print(float(value))


def a_list_of_arrays(xs):
    for value in [jnp.sum(x) for x in xs]:
        print(float(value))


def not_known(xs):
    for x in xs:
        print(float(x))


def another_name(x, w):
    for value in jnp.exp(x):
        value = step(w, value)
        print(float(value))


@jax.jit
def traced(x):
    return sum(value * 2 for value in jnp.exp(x))


def of_the_same_place(x):
    values = jnp.exp(x)
    for i in range(10):
        print(i, float(values[0]))


def known_by_its_annotation(done: jax.Array):
    return ["black" if one else "red" for one in done]


def asked_by_a_function(x, names):
    kept = []
    for value in jnp.exp(x):
        if names(value):
            kept.append(value)
    return kept


def read_twice(x):
    values = jnp.exp(x)
    return {
        "rows": [int(value) for value in values],  # ! iterate-device-array
        "columns": [int(value) for value in values],
    }


@jax.jit
def train_step(w, x):
    return w - 0.1 * (w - x), jnp.sum((w - x) ** 2)


def history(w, batches):
    losses, pairs = [], []
    for x in batches:
        w, loss = train_step(w, x)
        losses.append(loss)
        pairs.append((loss, x))
    for loss in losses:
        print(loss)  # ! iterate-device-array
    return [x for loss, x in pairs if loss < 3.0]  # ! iterate-device-array


def history_fetched_at_once(w, batches):
    losses = []
    for x in batches:
        w, loss = train_step(w, x)
        losses.append(loss)
    for loss in jax.device_get(losses):
        print(loss)
    return np.mean(losses)


def history_of_the_last_turns(w, batches):
    losses = []
    for x in batches:
        w, loss = train_step(w, x)
        losses.append(loss)
        if len(losses) > 2:
            print(losses.pop(0))
    return w


def history_of_numbers(w, batches):
    losses = []
    for x in batches:
        w, loss = train_step(w, x)
        losses.append(loss.shape[0])
    return [float(loss) for loss in losses]


@jax.jit
def measure(w):
    return w * jnp.arange(300.0)


def names_of_a_tree(w):
    for name, value in measure(w).items():
        print(f"{name}", value.shape)


def of_an_unknown_library(library, w, batches):
    losses = []
    for x in batches:
        w, loss = train_step(w, x)
        losses.append(loss)
    plan = library.plan(losses[-1])
    return [f"step {step.name}" for step in plan.steps]


mapped = xmap(lambda w, x: (w - x, {"loss": jnp.sum(x)}), in_axes=([...], ["batch", ...]), out_axes=[...])


def metrics_of_a_removed_transform(w, batches):
    losses = []
    for x in batches:
        w, metrics = mapped(w, x)
        losses.append(metrics["loss"])
    return np.mean([float(loss) for loss in losses])  # ! iterate-device-array


def predictions_of_batches(w, batches):
    outs = []
    for x in batches:
        outs.append((train_step(w, x)[0], len(x)))
    return np.concatenate([np.asarray(out)[:count] for out, count in outs])


def losses_by_their_numbers(w, batches):
    losses = []
    for x in batches:
        w, loss = train_step(w, x)
        losses.append(jnp.mean(loss))
    return [float(np.asarray(loss)) for loss in losses]  # ! iterate-device-array


def spread_of_each_entry(w, runs):
    found = {}
    for name, batches in runs.items():
        losses = []
        for x in batches:
            losses.append(train_step(w, x)[1])
        found[name] = jnp.stack(losses)
    for name, losses in found.items():
        print(name, float(losses.std()))


def shown_once(fitted):
    fitted = fitted / jnp.linalg.norm(fitted)
    print([round(float(v), 3) for v in fitted])


def every_epoch(scores, weights):
    for _ in range(100):
        scores = scores @ weights
        print([float(score) for score in scores])  # ! iterate-device-array


if __name__ == "__main__":
    shown_once(jnp.asarray(np.load("fitted.npy")))
    every_epoch(jnp.ones(50), jnp.ones((50, 50)))
