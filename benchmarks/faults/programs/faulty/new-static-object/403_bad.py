"""Fit several joint trajectories to marker data with a fixed skeleton."""
from typing import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


def forward_kinematics(angles):
    """Planar three-link arm, unit link lengths."""
    total = jnp.cumsum(angles)
    return jnp.stack([jnp.cos(total).sum(), jnp.sin(total).sum()])


class Trajectory(eqx.Module):
    mlp: eqx.nn.MLP
    gain: jax.Array
    forward: Callable

    def __init__(self, fk_fn, key):
        self.mlp = eqx.nn.MLP(1, 3, 16, 2, key=key)
        self.gain = jnp.ones(3)
        self.forward = jax.jit(fk_fn)

    def __call__(self, t):
        return self.forward(self.mlp(t) * self.gain)


def loss_fn(model, t, markers):
    pred = jax.vmap(model)(t)
    return jnp.mean(jnp.sum((pred - markers) ** 2, axis=-1))


optim = optax.adam(1e-2)


@eqx.filter_jit
def step(model, opt_state, t, markers):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(model, t, markers)
    updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_array))
    return eqx.apply_updates(model, updates), opt_state, loss


def fit_trial(t, markers, seed, num_steps=5):
    model = Trajectory(forward_kinematics, jax.random.key(seed))
    opt_state = optim.init(eqx.filter(model, eqx.is_array))
    for _ in range(num_steps):
        model, opt_state, loss = step(model, opt_state, t, markers)
    return model, float(loss)


def main(num_trials=4):
    t = np.linspace(0, 1, 32, dtype=np.float32)[:, None]
    rng = np.random.default_rng(0)
    results = []
    for trial in range(num_trials):
        phase = rng.uniform(0, np.pi)
        markers = np.concatenate([np.cos(t + phase), np.sin(t + phase)], -1).astype(np.float32)
        _, loss = fit_trial(t, markers, seed=trial)
        results.append(loss)
    print("losses", results)


if __name__ == "__main__":
    main()
