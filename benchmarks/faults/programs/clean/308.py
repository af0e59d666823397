"""Data-parallel evaluation of a linear probe on host devices; flags are set first."""
import logging
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
if "jax" not in sys.modules:
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count=4".strip()

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

logger = logging.getLogger("probe")


def make_mesh():
    return Mesh(np.asarray(jax.devices()), ("data",))


def features(n, dim, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim)).astype(np.float32)
    return x, (x[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(np.float32)


@jax.jit
def evaluate(w, x, y):
    logits = x @ w
    loss = jnp.mean(jnp.maximum(logits, 0) - logits * y + jnp.log1p(jnp.exp(-jnp.abs(logits))))
    return loss, jnp.mean((logits > 0) == (y > 0.5))


@jax.jit
def newton_step(w, x, y, ridge=1e-2):
    p = jax.nn.sigmoid(x @ w)
    grad = x.T @ (p - y) / len(y) + ridge * w
    hess = (x * (p * (1 - p))[:, None]).T @ x / len(y) + ridge * jnp.eye(x.shape[1])
    return w - jnp.linalg.solve(hess, grad)


def main():
    logging.basicConfig(level=logging.INFO)
    mesh = make_mesh()
    x, y = features(256, 8, seed=0)
    x = jax.device_put(x, NamedSharding(mesh, P("data", None)))
    y = jax.device_put(y, NamedSharding(mesh, P("data")))
    w = jax.device_put(jnp.zeros(8), NamedSharding(mesh, P()))
    for _ in range(5):
        w = newton_step(w, x, y)
    loss, acc = evaluate(w, x, y)
    logger.info("devices %d loss %.4f accuracy %.3f", mesh.size, float(loss), float(acc))


if __name__ == "__main__":
    main()
