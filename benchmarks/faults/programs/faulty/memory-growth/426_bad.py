"""Sparse autoencoder on activations, with a monitoring level for the logs."""
from collections import defaultdict

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class SAE(eqx.Module):
    encoder: eqx.nn.Linear
    dictionary: jax.Array

    def __init__(self, dim, num_concepts, key):
        k1, k2 = jax.random.split(key)
        self.encoder = eqx.nn.Linear(dim, num_concepts, key=k1)
        self.dictionary = jax.random.normal(k2, (num_concepts, dim)) / np.sqrt(dim)

    def __call__(self, x):
        z = jax.nn.relu(jax.vmap(self.encoder)(x))
        return z, z @ self.dictionary


optim = optax.adam(1e-3)


@eqx.filter_jit
def train_step(model, opt_state, x):
    def loss_fn(m):
        z, x_hat = m(x)
        return jnp.mean((x - x_hat) ** 2) + 1e-3 * jnp.mean(jnp.abs(z)), z

    (loss, z), grads = eqx.filter_value_and_grad(loss_fn, has_aux=True)(model)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss, z


def log_metrics(monitoring, logs, model, z, loss):
    if monitoring == 0:
        return
    logs["loss"].append(float(loss))
    if monitoring > 1:
        logs["z"].append(z[::10])
        logs["z_l0"].append(float((z > 0).mean()))
        logs["dict_norm"].append(float(jnp.linalg.norm(model.dictionary)))


def train_sae(model, batches, monitoring=2, log_every=5):
    opt_state = optim.init(eqx.filter(model, eqx.is_array))
    logs = defaultdict(list)
    for step, x in enumerate(batches):
        model, opt_state, loss, z = train_step(model, opt_state, x)
        if step % log_every == 0:
            log_metrics(monitoring, logs, model, z, loss)
    return model, logs


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    data = (rng.normal(size=(256, 16)).astype(np.float32) for _ in range(100))
    model, logs = train_sae(SAE(16, 64, jax.random.key(0)), data)
    held = sum(a.nbytes for a in jax.live_arrays())
    print("loss", logs["loss"][-1], "bytes held on the device", held)
