import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax.training import train_state


def model(params, x, t):
    return x @ params["w"] + t[:, None] * params["b"]


def create_state(seed=0):
    key = jax.random.key(seed)
    params = {"w": jax.random.normal(key, (4, 4)) * 0.3, "b": jnp.zeros(4)}
    return train_state.TrainState.create(
        apply_fn=model, params=params, tx=optax.adam(1e-2)
    )


def data_iterator(start):
    i = start
    while True:
        yield i, np.random.default_rng(i).standard_normal((16, 4)).astype(np.float32)
        i += 1


@jax.jit
def train_step(state, x, key):
    kt, kn = jax.random.split(key)
    t = jax.random.uniform(kt, (x.shape[0],))
    noise = jax.random.normal(kn, x.shape)

    def loss_fn(p):
        xt = (1 - t)[:, None] * x + t[:, None] * noise
        return jnp.mean((state.apply_fn(p, xt, t) - (noise - x)) ** 2)

    loss, g = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=g), loss


def train(manager, max_steps, save_every, log):
    state = create_state()
    start_step = manager.latest_step() or 0
    if manager.latest_step() is not None:
        state = manager.restore(start_step, args=ocp.args.StandardRestore(state))
    batches = data_iterator(start_step)
    for step in range(start_step, max_steps):
        batch_id, x = next(batches)
        state, loss = train_step(state, x, jax.random.fold_in(jax.random.key(3), step))
        log.append(batch_id)
        if step % save_every == 0 and step > 0:
            manager.save(step, args=ocp.args.StandardSave(state))
    manager.wait_until_finished()
    return state


def main():
    with tempfile.TemporaryDirectory() as tmp:
        seen = []
        for max_steps in (7, 12):
            with ocp.CheckpointManager(Path(tmp) / "ckpt") as manager:
                state = train(manager, max_steps, 6, seen)
    print("batches", seen, "optimizer steps", int(state.step))


if __name__ == "__main__":
    main()
