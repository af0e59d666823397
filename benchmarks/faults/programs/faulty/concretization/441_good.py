"""Variational Monte Carlo for a spin chain with a restarted learning-rate schedule."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

ETA = 0.05
RESTART = 20


def restart_schedule(count):
    phase = np.pi * (count % RESTART) / RESTART
    return 0.5 * ETA * (1.0 + jnp.cos(phase))


class RBM(nn.Module):
    alpha: int = 1

    @nn.compact
    def __call__(self, s):
        h = nn.Dense(self.alpha * s.shape[-1], kernel_init=nn.initializers.normal(0.1))(s)
        return jnp.sum(jnp.log(jnp.cosh(h)), axis=-1)


def all_states(n):
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return (2.0 * bits - 1.0).astype(np.float32)


def ising_energy(params, model, states, field=1.0):
    logpsi = model.apply(params, states)
    psi = jnp.exp(logpsi - logpsi.max())
    psi = psi / jnp.linalg.norm(psi)
    diag = -jnp.sum(states * jnp.roll(states, 1, axis=-1), axis=-1)
    n = states.shape[-1]
    index = np.arange(len(states))
    flips = sum(psi[index ^ (1 << i)] for i in range(n))
    return jnp.sum(psi * (diag * psi - field * flips))


def make_update(model, tx, states):
    @jax.jit
    def update(params, opt_state):
        energy, grads = jax.value_and_grad(ising_energy)(params, model, states)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, energy

    return update


def run(n=4, steps=60):
    states, model = all_states(n), RBM()
    params = model.init(jax.random.key(0), states)
    tx = optax.sgd(restart_schedule)
    opt_state = tx.init(params)
    update = make_update(model, tx, states)
    for _ in range(steps):
        params, opt_state, energy = update(params, opt_state)
    return float(energy)


if __name__ == "__main__":
    print("energy", run())
