"""Evaluation over the whole validation split of an image classifier."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class Workload:
    eval_batch_size: int = 64
    num_classes: int = 10


def init(key, dim=192, width=128, classes=10):
    keys = jax.random.split(key, 3)
    sizes = [dim, width, width, classes]
    return [jax.random.normal(k, (m, n)) / np.sqrt(m)
            for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def logits_fn(params, images):
    h = images.reshape(len(images), -1)
    for w in params[:-1]:
        h = jax.nn.relu(h @ w)
    return h @ params[-1]


@jax.jit
def eval_step(params, batch):
    logits = logits_fn(params, batch["inputs"])
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["targets"])
    correct = (logits.argmax(-1) == batch["targets"]).astype(jnp.float32)
    w = batch["weights"]
    return {"loss": jnp.sum(w * losses), "accuracy": jnp.sum(w * correct), "n": w.sum()}


def pad_batch(batch, size):
    short = size - len(batch["targets"])
    pad = lambda a: np.pad(a, [(0, short)] + [(0, 0)] * (a.ndim - 1))
    return {k: pad(v) for k, v in batch.items()}


def eval_iterator(split, batch_size):
    for i in range(0, len(split["targets"]), batch_size):
        batch = {k: v[i:i + batch_size] for k, v in split.items()}
        batch["weights"] = np.ones(len(batch["targets"]), np.float32)
        yield batch


def evaluate(params, split, workload):
    totals = None
    for batch in eval_iterator(split, workload.eval_batch_size):
        metrics = eval_step(params, batch)
        totals = metrics if totals is None else jax.tree.map(jnp.add, totals, metrics)
    totals = jax.device_get(totals)
    return {k: float(totals[k] / totals["n"]) for k in ("loss", "accuracy")}


def fake_split(n, seed):
    rng = np.random.default_rng(seed)
    return {"inputs": rng.normal(size=(n, 8, 8, 3)).astype(np.float32),
            "targets": rng.integers(0, 10, n).astype(np.int32)}


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0))
    for name, size in (("validation", 300), ("test", 215)):
        print(name, evaluate(params, fake_split(size, size), Workload()),
              "programs", eval_step._cache_size())
