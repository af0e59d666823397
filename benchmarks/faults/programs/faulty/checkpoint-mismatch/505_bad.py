"""Resumable pattern-detector training with orbax; new runs also keep the last batch."""
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp


def init_params(key):
    k1, k2 = jax.random.split(key)
    return {"w1": 0.3 * jax.random.normal(k1, (6, 12)), "w2": 0.3 * jax.random.normal(k2, (12, 1))}


def loss_fn(params, batch):
    pred = jnp.tanh(batch["x"] @ params["w1"]) @ params["w2"]
    return jnp.mean((pred[:, 0] - batch["y"]) ** 2)


OPT = optax.adam(1e-2)


@jax.jit
def train_step(params, opt_state, batch):
    loss, g = jax.value_and_grad(loss_fn)(params, batch)
    updates, opt_state = OPT.update(g, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def make_batch(step, n=16):
    x = jax.random.normal(jax.random.key(step), (n, 6))
    return {"x": x, "y": jnp.sin(x[:, 0])}


def save(path, params, opt_state, batch=None):
    item = {"params": params, "opt_state": opt_state}
    if batch is not None:
        item["last_batch"] = batch
    with ocp.StandardCheckpointer() as ckptr:
        ckptr.save(path, item)


def restore(path):
    params = init_params(jax.random.key(0))
    target = {"params": params, "opt_state": OPT.init(params), "last_batch": make_batch(0)}
    with ocp.StandardCheckpointer() as ckptr:
        return ckptr.restore(path, target)


def run(params, opt_state, start, stop):
    for step in range(start, stop):
        batch = make_batch(step)
        params, opt_state, loss = train_step(params, opt_state, batch)
    return params, opt_state, batch, loss


def main(root):
    params = init_params(jax.random.key(0))
    params, opt_state, batch, loss = run(params, OPT.init(params), 0, 20)
    save(root / "old_format", params, opt_state)
    save(root / "new_format", params, opt_state, batch)
    for name in ("new_format", "old_format"):
        state = restore(root / name)
        *_, loss = run(state["params"], state["opt_state"], 20, 40)
        print(name, "resumed loss", float(loss))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        main(Path(d))
