"""Mirror-descent estimation of marginals from noisy measurements."""
import dataclasses
import time

import jax
import jax.numpy as jnp
import numpy as np


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class MarginalLoss:
    name: str = dataclasses.field(metadata=dict(static=True))
    queries: jax.Array
    values: jax.Array

    def __call__(self, log_potentials):
        marginal = jax.nn.softmax(log_potentials)
        return 0.5 * jnp.sum((self.queries @ marginal - self.values) ** 2)


def measure(rng, domain, n_queries, name):
    q = rng.integers(0, 2, size=(n_queries, domain)).astype(np.float32)
    truth = rng.dirichlet(np.ones(domain)).astype(np.float32)
    noise = rng.normal(scale=0.01, size=n_queries).astype(np.float32)
    return MarginalLoss(name, jnp.asarray(q), jnp.asarray(q @ truth + noise))


class ProgressCallback:
    def __init__(self, losses):
        self.losses = {l.name: jax.jit(l.__call__) for l in losses}
        self.rows = []

    def __call__(self, step, potentials):
        row = {k: float(f(potentials)) for k, f in self.losses.items()}
        self.rows.append((step, row))


@jax.jit
def descend(losses, potentials, lr):
    total = lambda p: sum(l(p) for l in losses)
    return potentials - lr * jax.grad(total)(potentials)


def estimate(losses, domain, steps=30, every=10):
    callback = ProgressCallback(losses)
    potentials = jnp.zeros(domain)
    for step in range(steps):
        if step % every == 0:
            callback(step, potentials)
        potentials = descend(losses, potentials, jnp.float32(1e-3))
    return potentials, callback.rows


def main():
    rng = np.random.default_rng(0)
    start = time.time()
    for round_ in range(4):
        losses = [measure(rng, 2048, 512, n) for n in ("l2", "prior")]
        _, rows = estimate(losses, 2048)
        print(round_, rows[-1])
    print("elapsed", round(time.time() - start, 2))


if __name__ == "__main__":
    main()
