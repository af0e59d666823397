import jax
import jax.numpy as jnp
import numpy as np
from torch.utils.data import DataLoader
from tqdm import tqdm


@jax.jit
def step(params, x, y):
    error = x @ params - y
    return jnp.mean(error**2), {"mae": jnp.mean(jnp.abs(error))}


@jax.jit
def sums(params, x, y):
    error = x @ params - y
    return jnp.sum(error**2), len(x)


@jax.jit
def train_step(params, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p - y) ** 2))(params)
    return params - grads, loss


def in_slices(x, y, params):
    losses = []
    for first in range(0, len(x), 32):
        losses.append(step(params, x[first : first + 32], y)[0].item())
    return np.mean(losses)  # ! mean-of-batch-means


def from_a_loader(data, params):
    total, number = 0.0, 0
    for x in DataLoader(data, batch_size=32):
        loss, _ = step(params, x, 0.0)
        total += float(loss)
        number += 1
    return total / max(number, 1)  # ! mean-of-batch-means


def of_parts(data, params):
    found = []
    loader = DataLoader(data, batch_size=32)
    for x in loader:
        _, metrics = step(params, x, 0.0)
        found.append(metrics)
    return {k: np.mean([each[k] for each in found]) for k in found[0]}  # ! mean-of-batch-means


def stacked(data, params):
    losses = []
    for x in DataLoader(data, batch_size=32):
        loss, _ = step(params, x, 0.0)
        losses.append(loss)
    return np.stack(jax.device_get(losses)).mean()  # ! mean-of-batch-means


def of_whole_batches(x, y, params):
    losses = []
    for first in range(0, len(x) - 31, 32):
        losses.append(step(params, x[first : first + 32], y)[0].item())
    return np.mean(losses)


def evaluate(loader, params):
    total = 0.0
    for x, y in tqdm(loader):
        loss, _ = step(params, jnp.asarray(x), y)
        total += float(loss)
    return total / len(loader)


def validate(batches, params):
    losses = []
    for batch in batches:
        losses.append(step(params, *batch)[0].item())
    return np.mean(losses)


def counted(test_data, params):
    total, number = 0.0, 0
    for x, y in test_data:
        loss, metrics = step(params, x, y)
        total += loss
        number += 1
    return total / max(number, 1)


def listed(loader, params):
    losses = []
    for x, y in loader:
        losses.append(step(params, x, y)[0])
    return sum(losses) / len(losses)


def weighted(loader, params):
    total, count = 0.0, 0
    for x, y in loader:
        loss, _ = step(params, x, y)
        total += loss * len(x)
        count += len(x)
    return total / count


def summed(loader, params, size):
    total = 0.0
    for x, y in loader:
        loss, _ = sums(params, x, y)
        total += loss
    return total / size


def summed_for_each(loader, params):
    total = 0.0
    for x, y in loader:
        total += sums(params, x, y)[0]
    return total / len(loader)


def dropped(data, params):
    total = 0.0
    loader = DataLoader(data, batch_size=8, drop_last=True)
    for x, y in loader:
        total += step(params, x, y)[0]
    return total / len(loader)


def train(loader, params):
    total = 0.0
    for x, y in loader:
        params, loss = train_step(params, x, y)
        total += loss
    return params, total / len(loader)


def over_seeds(params, data):
    total = 0.0
    for seed in range(5):
        total += step(params, *data[seed])[0]
    return total / 5


def of_all(loader, params):
    x, y = next(iter(loader))
    losses = [step(params, x, y)[0]]
    return np.mean(losses)
