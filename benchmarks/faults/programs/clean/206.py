"""Training loop that logs rarely and reads the metrics of the previous window."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class LoopConfig:
    steps: int = 60
    log_every: int = 20
    batch: int = 32


tx = optax.adamw(1e-3)


@jax.jit
def train_step(params, opt_state, totals, x, y):
    loss, grads = jax.value_and_grad(
        lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    totals = {"loss": totals["loss"] + loss,
              "grad_norm": totals["grad_norm"] + optax.global_norm(grads)}
    return optax.apply_updates(params, updates), opt_state, totals


def zero_totals():
    return {"loss": jnp.zeros((), jnp.float32), "grad_norm": jnp.zeros((), jnp.float32)}


def batches(cfg, seed=0):
    rng = np.random.default_rng(seed)
    while True:
        x = rng.normal(size=(cfg.batch, 5)).astype(np.float32)
        yield x, x.sum(1)


def train(cfg):
    params = {"w": jnp.zeros(5), "b": jnp.zeros(())}
    opt_state, totals, log = tx.init(params), zero_totals(), []
    for step, (x, y) in zip(range(1, cfg.steps + 1), batches(cfg)):
        params, opt_state, totals = train_step(params, opt_state, totals, x, y)
        if step % cfg.log_every == 0:
            values = jax.device_get(totals)
            log.append({k: float(v) / cfg.log_every for k, v in values.items()})
            totals = zero_totals()
    return log


if __name__ == "__main__":
    for row in train(LoopConfig()):
        print(row)
    print(train_step._cache_size())
