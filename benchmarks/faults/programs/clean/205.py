"""Early stopping with donated buffers."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

tx = optax.adam(1e-2)


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w1"]) @ params["w2"] - y) ** 2)


@functools.partial(jax.jit, donate_argnames=("params", "opt_state"))
def step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


evaluate = jax.jit(loss_fn)


def data(seed, n=128):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).astype(np.float32)
    return x, np.sin(x[:, 0])


def fit(params, max_epochs=30, patience=5):
    opt_state = tx.init(params)
    train, val = data(0), data(1)
    best, best_params, waited = np.inf, jax.device_get(params), 0
    for epoch in range(max_epochs):
        params, opt_state, _ = step(params, opt_state, *train)
        value = float(evaluate(params, *val))
        if value < best:
            best, best_params, waited = value, jax.tree.map(np.array, params), 0
        else:
            waited += 1
            if waited > patience:
                break
    return best_params, best


if __name__ == "__main__":
    k1, k2 = jax.random.split(jax.random.PRNGKey(0))
    params = {"w1": jax.random.normal(k1, (4, 16)) * 0.5,
              "w2": jax.random.normal(k2, (16,)) * 0.5}
    best_params, best = fit(params)
    print(best, float(evaluate(best_params, *data(1))))
