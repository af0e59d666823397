import jax
import jax.numpy as jnp
import optax
from collections import defaultdict


class MetricStore:
    def __init__(self):
        self.history = defaultdict(list)

    def add(self, **values):
        for k, v in values.items():
            self.history[k].append(v)

    def summary(self):
        return {k: len(v) for k, v in self.history.items()}


metrics = MetricStore()


def model(params, x):
    h = jax.nn.relu(x @ params["w1"])
    return h @ params["w2"]


def loss_fn(params, x, y):
    pred = model(params, x)
    loss = jnp.mean((pred[:, 0] - y) ** 2)
    return loss, {"loss": loss, "pred_mean": jnp.mean(pred)}


def make_step(tx):
    @jax.jit
    def step(params, opt_state, x, y):
        grads, logs = jax.grad(loss_fn, has_aux=True)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, logs

    return step


def train(epochs=10):
    k1, k2, kx = jax.random.split(jax.random.key(0), 3)
    params = {
        "w1": jax.random.normal(k1, (4, 16)) * 0.5,
        "w2": jax.random.normal(k2, (16, 1)) * 0.5,
    }
    x = jax.random.normal(kx, (64, 4))
    y = jnp.sin(x[:, 0])
    tx = optax.adam(1e-2)
    opt_state = tx.init(params)
    step = make_step(tx)
    for _ in range(epochs):
        params, opt_state, logs = step(params, opt_state, x, y)
        metrics.add(**logs)
    return params


if __name__ == "__main__":
    train()
    print("entries per metric", metrics.summary())
    print("last loss", metrics.history["loss"][-1])
