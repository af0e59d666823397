"""Train a coupling flow on samples between global proposals."""
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init_flow(key, dim=4, layers=4, width=32):
    params = []
    for k in jax.random.split(key, layers):
        k1, k2 = jax.random.split(k)
        params.append({"w1": 0.1 * jax.random.normal(k1, (dim // 2, width)),
                       "w2": 0.01 * jax.random.normal(k2, (width, dim))})
    return params


def log_prob(params, x):
    logdet = 0.0
    for i, layer in enumerate(params):
        a, b = jnp.split(x if i % 2 == 0 else x[:, ::-1], 2, axis=1)
        shift, scale = jnp.split(jnp.tanh(a @ layer["w1"]) @ layer["w2"], 2, axis=1)
        x = jnp.concatenate([a, (b - shift) * jnp.exp(-scale)], axis=1)
        logdet = logdet - scale.sum(1)
    return -0.5 * jnp.sum(x**2, 1) + logdet


tx = optax.adam(1e-3)


def train_step(params, opt_state, batch):
    loss, grads = jax.value_and_grad(lambda p: -log_prob(p, batch).mean())(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


@jax.jit
def train_epoch(params, opt_state, batches):
    def body(carry, batch):
        params, opt_state, loss = train_step(*carry, batch)
        return (params, opt_state), loss
    return jax.lax.scan(body, (params, opt_state), batches)


jit_step = jax.jit(train_step)


def train_flow(key, params, opt_state, data, epochs, batch_size):
    losses = []
    steps = len(data) // batch_size
    for epoch in range(epochs):
        perm = np.asarray(jax.random.permutation(jax.random.fold_in(key, epoch), len(data)))
        batches = data[perm[:steps * batch_size]].reshape(steps, batch_size, -1)
        (params, opt_state), epoch_losses = train_epoch(params, opt_state, batches)
        losses.append(epoch_losses)
    return params, opt_state, np.asarray(jnp.concatenate(losses))


if __name__ == "__main__":
    data = np.random.default_rng(0).normal(1.0, 0.5, (4000, 4)).astype(np.float32)
    params = init_flow(jax.random.PRNGKey(0))
    args = (params, tx.init(params), data)
    train_flow(jax.random.PRNGKey(1), *args, epochs=1, batch_size=20)
    start = time.perf_counter()
    _, _, losses = train_flow(jax.random.PRNGKey(1), *args, epochs=10, batch_size=20)
    print("loss", losses[-1], "seconds", round(time.perf_counter() - start, 2))
