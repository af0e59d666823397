from dataclasses import dataclass
from pathlib import Path
import tempfile

import jax
import jax.numpy as jnp
import optax
from flax import serialization


@dataclass(frozen=True)
class OptConfig:
    peak_lr: float = 0.05
    warmup: int = 10
    total: int = 60


def make_schedule(cfg):
    return optax.warmup_cosine_decay_schedule(
        0.0, cfg.peak_lr, cfg.warmup, cfg.total, end_value=1e-4
    )


def make_tx(cfg):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.scale_by_learning_rate(make_schedule(cfg)),
    )


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def make_step(tx):
    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def train(cfg, path, start, stop, x, y):
    tx = make_tx(cfg)
    params = {"w": jnp.zeros(3), "b": jnp.zeros(())}
    opt_state = tx.init(params)
    if path.exists():
        saved = serialization.from_bytes(
            {"params": params, "opt_state": opt_state}, path.read_bytes()
        )
        params = saved["params"]
        opt_state = tx.init(params)
    step = make_step(tx)
    for _ in range(start, stop):
        params, opt_state, loss = step(params, opt_state, x, y)
    path.write_bytes(
        serialization.to_bytes({"params": params, "opt_state": opt_state})
    )
    return float(make_schedule(cfg)(opt_state[-1].count)), float(loss)


def main(cfg=OptConfig()):
    x = jax.random.normal(jax.random.key(0), (64, 3))
    y = x @ jnp.array([1.0, -2.0, 0.5]) + 0.3
    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "ckpt.msgpack"
        for start in range(0, cfg.total, 20):
            lr, loss = train(cfg, path, start, start + 20, x, y)
            print(f"step {start + 20} lr {lr:.5f} loss {loss:.5f}")


if __name__ == "__main__":
    main()
