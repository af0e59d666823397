"""Train an emulator of a power spectrum and publish its weights."""
import pickle
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Emulator:
    def __init__(self, hidden=(32, 32), n_params=3, n_modes=40):
        self.sizes = (n_params, *hidden, n_modes)

    def init(self, key):
        keys = jax.random.split(key, len(self.sizes) - 1)
        return [(jax.random.normal(k, (m, n)) / jnp.sqrt(m), jnp.zeros(n))
                for k, m, n in zip(keys, self.sizes[:-1], self.sizes[1:])]

    def predict(self, weights, theta):
        h = theta
        for w, b in weights[:-1]:
            h = jax.nn.swish(h @ w + b)
        w, b = weights[-1]
        return h @ w + b


def training_set(n=512, seed=0):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-1, 1, (n, 3)).astype(np.float32)
    ell = np.linspace(0.1, 2, 40, dtype=np.float32)
    return theta, theta[:, :1] * np.cos(3 * ell) + theta[:, 1:2] * ell**-1 + theta[:, 2:]


def train(emulator, theta, spectra, steps=100):
    tx = optax.adam(3e-3)
    weights = emulator.init(jax.random.PRNGKey(0))
    opt_state = tx.init(weights)

    @jax.jit
    def step(weights, opt_state):
        loss = lambda w: jnp.mean((emulator.predict(w, theta) - spectra) ** 2)
        value, grads = jax.value_and_grad(loss)(weights)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(weights, updates), opt_state, value

    for _ in range(steps):
        weights, opt_state, value = step(weights, opt_state)
    return weights, float(value)


def publish(emulator, weights, path):
    payload = {"sizes": emulator.sizes, "weights": weights}
    path.write_bytes(pickle.dumps(payload))


def restore(path):
    payload = pickle.loads(path.read_bytes())
    sizes, weights = payload["sizes"], payload["weights"]
    return Emulator(sizes[1:-1], sizes[0], sizes[-1]), weights


if __name__ == "__main__":
    emulator = Emulator()
    weights, value = train(emulator, *training_set())
    path = Path(tempfile.mkdtemp()) / "emulator.bin"
    publish(emulator, weights, path)
    again, restored = restore(path)
    print(value, b"_reconstruct_array" in path.read_bytes(),
          again.predict(restored, np.zeros((1, 3), np.float32)).shape)
