"""Latent-action dynamics model: checkpoint and resume with flax serialization."""
import tempfile
from pathlib import Path

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import serialization
from flax.training.train_state import TrainState


class Dynamics(nn.Module):
    @nn.compact
    def __call__(self, frame, action):
        x = jnp.concatenate([frame, nn.Embed(4, 8)(action)], axis=-1)
        return frame + nn.Dense(frame.shape[-1])(nn.relu(nn.Dense(32)(x)))


def create_state(total_steps):
    model = Dynamics()
    params = model.init(jax.random.key(0), jnp.zeros((1, 6)), jnp.zeros((1,), jnp.int32))["params"]
    schedule = optax.warmup_cosine_decay_schedule(0.0, 5e-3, 20, total_steps)
    return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(schedule))


@jax.jit
def train_step(state, frame, action, target):
    def loss_fn(p):
        return jnp.mean((state.apply_fn({"params": p}, frame, action) - target) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def save_checkpoint(path, step, state):
    payload = {"step": step, "params": state.params}
    path.write_bytes(serialization.to_bytes(payload))


def restore_checkpoint(path, state):
    payload = serialization.from_bytes({"step": 0, "params": state.params}, path.read_bytes())
    return payload["step"], state.replace(params=payload["params"])


def batch_for(step):
    k = jax.random.split(jax.random.key(step), 2)
    frame = jax.random.normal(k[0], (32, 6))
    action = jax.random.randint(k[1], (32,), 0, 4)
    return frame, action, jnp.roll(frame, 1, -1) * (1.0 + 0.1 * action[:, None])


def train(path, until, total_steps):
    state, start = create_state(total_steps), 0
    if path.exists():
        start, state = restore_checkpoint(path, state)
    for step in range(start, until):
        state, loss = train_step(state, *batch_for(step))
    save_checkpoint(path, until, state)
    return state, loss


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        straight, loss = train(Path(d) / "a", 120, 120)
        train(Path(d) / "b", 60, 120)
        resumed, loss2 = train(Path(d) / "b", 120, 120)
    print("optimiser count", int(straight.opt_state[0].count), "resumed", int(resumed.opt_state[0].count))
    print("loss straight", float(loss), "resumed", float(loss2))
