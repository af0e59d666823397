"""Energy-based model on a 2-D ring with Langevin negatives and a replay buffer."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


def init_mlp(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [(jax.random.normal(k, (m, n)) * m**-0.5, jnp.zeros(n))
            for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def energy(params, x):
    for w, b in params[:-1]:
        x = jax.nn.swish(x @ w + b)
    w, b = params[-1]
    return (x @ w + b)[..., 0]


class EBM:
    def __init__(self, key, lr=1e-2, step_size=0.1, n_langevin=10):
        self.key, init_key = jax.random.split(key)
        self.params = init_mlp(init_key, [2, 32, 32, 1])
        self.tx = optax.adam(lr)
        self.opt_state = self.tx.init(self.params)
        self.step_size = step_size
        self.n_langevin = n_langevin
        self.langevin_fn = jax.jit(self._langevin)
        self.update_fn = jax.jit(self._update)

    def _langevin(self, params, x, key):
        def body(x, k):
            g = jax.grad(lambda z: energy(params, z).sum())(x)
            x = x - self.step_size * g + 0.05 * jax.random.normal(k, x.shape)
            return jnp.clip(x, -3, 3), None

        return jax.lax.scan(body, x, jax.random.split(key, self.n_langevin))[0]

    def _update(self, params, opt_state, pos, neg):
        def loss_fn(p):
            e_pos, e_neg = energy(p, pos), energy(p, neg)
            return (e_pos - e_neg).mean() + 0.1 * (e_pos**2 + e_neg**2).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    def train_step(self, pos):
        self.key, k0, k1 = jax.random.split(self.key, 3)
        start = jax.random.uniform(k0, pos.shape, minval=-2, maxval=2)
        neg = self.langevin_fn(self.params, start, k1)
        self.params, self.opt_state, loss = self.update_fn(self.params, self.opt_state, pos, neg)
        return loss, neg


def ring(n, rng):
    t = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(t), np.sin(t)], -1).astype(np.float32)


if __name__ == "__main__":
    model, rng = EBM(jax.random.key(0)), np.random.default_rng(0)
    for _ in range(60):
        loss, neg = model.train_step(ring(128, rng))
    print("loss", float(loss), "sample energy", float(energy(model.params, neg).mean()))
