"""Latent ODE on damped oscillations."""
import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class LatentODE(eqx.Module):
    encoder: eqx.nn.GRUCell
    field: eqx.nn.MLP
    decoder: eqx.nn.Linear

    def __init__(self, key, hidden=16):
        k1, k2, k3 = jax.random.split(key, 3)
        self.encoder = eqx.nn.GRUCell(2, hidden, key=k1)
        self.field = eqx.nn.MLP(hidden, hidden, 32, 2, key=k2)
        self.decoder = eqx.nn.Linear(hidden, 2, key=k3)

    def __call__(self, ts, ys):
        h0 = jnp.zeros(self.encoder.hidden_size)
        h, _ = jax.lax.scan(lambda h, y: (self.encoder(y, h), None), h0, ys[::-1])

        def euler(h, dt):
            h = h + dt * self.field(h)
            return h, h

        _, hs = jax.lax.scan(euler, h, jnp.diff(ts, prepend=ts[:1]))
        return jax.vmap(self.decoder)(hs)


def get_data(n, seed=0):
    rng = np.random.default_rng(seed)
    ts = np.sort(rng.uniform(0, 3, (n, 20)), axis=1).astype(np.float32)
    phase = rng.uniform(0, 6, (n, 1))
    ys = np.stack([np.exp(-ts) * np.cos(3 * ts + phase), np.exp(-ts) * np.sin(3 * ts + phase)], -1)
    return ts, ys.astype(np.float32)


def dataloader(arrays, batch_size, rng):
    size = len(arrays[0])
    while True:
        perm = rng.permutation(size)
        for start in range(0, size, batch_size):
            yield tuple(a[perm[start:start + batch_size]] for a in arrays)


def main(steps=12, batch_size=64):
    optim = optax.adam(1e-3)
    model = LatentODE(jax.random.PRNGKey(0))
    opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))

    @eqx.filter_jit
    def make_step(model, opt_state, ts, ys):
        loss = lambda m: jnp.mean((jax.vmap(m)(ts, ys) - ys) ** 2)
        value, grads = eqx.filter_value_and_grad(loss)(model)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, value

    seconds = []
    loader = dataloader(get_data(300), batch_size, np.random.default_rng(1))
    for step, (ts, ys) in zip(range(steps), loader):
        start = time.time()
        model, opt_state, value = make_step(model, opt_state, ts, ys)
        value.block_until_ready()
        seconds.append(round(time.time() - start, 3))
    print("loss", float(value), "seconds", seconds)


if __name__ == "__main__":
    main()
