"""Consistency-model training with a discretisation schedule that grows with the step."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


class ConsistencyModel:
    def __init__(self, total_steps, s0=4, s1=64, sigma=1.0):
        self.total_steps = float(total_steps)
        self.s0, self.s1, self.sigma = float(s0), float(s1), sigma
        self.current_step = 0

    def init(self, key, dim=2, width=64):
        k1, k2 = jax.random.split(key)
        return {"w1": jax.random.normal(k1, (dim + 1, width)) * 0.4,
                "w2": jax.random.normal(k2, (width, dim)) * 0.1}

    def apply(self, params, x, t):
        h = jnp.concatenate([x, t[:, None]], axis=1)
        return x + t[:, None] * (jnp.tanh(h @ params["w1"]) @ params["w2"])

    def num_levels(self, step):
        frac = step / self.total_steps
        return jnp.floor(self.s0 + frac * (self.s1 - self.s0))

    def loss(self, params, x, key, step):
        n = self.num_levels(step)
        k1, k2 = jax.random.split(key)
        idx = jnp.floor(jax.random.uniform(k1, (len(x),)) * (n - 1))
        t1, t2 = idx / n, (idx + 1) / n
        z = self.sigma * jax.random.normal(k2, x.shape)
        student = self.apply(params, x + t2[:, None] * z, t2)
        teacher = jax.lax.stop_gradient(self.apply(params, x + t1[:, None] * z, t1))
        return jnp.mean((student - teacher) ** 2), n


def fit(model, data, steps, seed=0):
    tx = optax.adam(1e-3)
    params = model.init(jax.random.PRNGKey(seed))
    opt_state = tx.init(params)
    levels = []

    @jax.jit
    def train_step(params, opt_state, x, key, step):
        grads, n = jax.grad(model.loss, has_aux=True)(params, x, key, step)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, n

    for step in range(steps):
        key = jax.random.fold_in(jax.random.PRNGKey(1), step)
        params, opt_state, n = train_step(params, opt_state, data, key, step + 1)
        levels.append(n)
    return params, np.asarray(levels)


if __name__ == "__main__":
    data = np.random.default_rng(0).normal(size=(128, 2)).astype(np.float32)
    _, levels = fit(ConsistencyModel(total_steps=50), data, 50)
    print("levels first/last", levels[0], levels[-1])
