"""Train a network with running feature statistics kept next to the weights."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Normalizer:
    """Exponential running statistics; an empty dict means nothing was seen yet."""

    def __init__(self, features, decay=0.95, eps=1e-5):
        self.features, self.decay, self.eps = features, decay, eps

    def init(self):
        return {"mean": jnp.zeros(self.features), "var": jnp.ones(self.features),
                "seen": jnp.asarray(False)}

    def __call__(self, state, x, train):
        if train:
            mean, var = x.mean(0), x.var(0)
            old = lambda new, name: jnp.where(
                state["seen"], self.decay * state[name] + (1 - self.decay) * new, new)
            state = {"mean": old(mean, "mean"), "var": old(var, "var"),
                     "seen": jnp.asarray(True)}
        return state, (x - state["mean"]) / jnp.sqrt(state["var"] + self.eps)


norm = Normalizer(16)
tx = optax.sgd(1e-2)


def init(key, width=64):
    k1, k2 = jax.random.split(key)
    params = {"w1": jax.random.normal(k1, (16, width)) * 0.2,
              "w2": jax.random.normal(k2, (width, 1)) * 0.2}
    return params, tx.init(params), norm.init()


@jax.jit
def make_step(params, opt_state, stats, x, y):
    def loss_fn(p):
        new_stats, h = norm(stats, x, train=True)
        pred = jax.nn.relu(h @ p["w1"]) @ p["w2"]
        return jnp.mean((pred[:, 0] - y) ** 2), new_stats

    (loss, stats), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, stats, loss


def loader(seed, steps, batch=32):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        x = rng.normal(2.0, 3.0, (batch, 16)).astype(np.float32)
        yield x, x[:, 0] - x[:, 1]


def main():
    params, opt_state, stats = init(jax.random.PRNGKey(0))
    for x, y in loader(0, 20):
        params, opt_state, stats, loss = make_step(params, opt_state, stats, x, y)
    print("loss", float(loss), "programs", make_step._cache_size())


if __name__ == "__main__":
    main()
