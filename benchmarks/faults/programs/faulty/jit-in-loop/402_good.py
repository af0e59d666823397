"""Mean-field variational inference for Bayesian logistic regression."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.scipy.stats import norm


def make_data(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float32)
    w = np.linspace(-1.0, 1.0, d).astype(np.float32)
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-x @ w))).astype(np.float32)
    return x, y


def log_joint(w, x, y):
    logits = x @ w
    loglik = jnp.sum(y * jax.nn.log_sigmoid(logits) + (1 - y) * jax.nn.log_sigmoid(-logits))
    return loglik + norm.logpdf(w).sum()


class SVI:
    """Holds guide parameters and applies one stochastic update per call."""

    def __init__(self, dim, lr=0.05, num_particles=8):
        self.num_particles = num_particles
        self.tx = optax.adam(lr)
        self.params = {"loc": jnp.zeros(dim), "log_scale": jnp.full((dim,), -1.0, jnp.float32)}
        self.opt_state = self.tx.init(self.params)
        self._update = jax.jit(self._apply)

    def _elbo(self, params, key, x, y):
        loc, log_scale = params["loc"], params["log_scale"]
        eps = jax.random.normal(key, (self.num_particles, loc.shape[0]))
        w = loc + jnp.exp(log_scale) * eps
        logp = jax.vmap(log_joint, in_axes=(0, None, None))(w, x, y)
        logq = norm.logpdf(w, loc, jnp.exp(log_scale)).sum(-1)
        return -jnp.mean(logp - logq)

    def _apply(self, params, opt_state, key, x, y):
        loss, grads = jax.value_and_grad(self._elbo)(params, key, x, y)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    def step(self, key, x, y):
        self.params, self.opt_state, loss = self._update(self.params, self.opt_state, key, x, y)
        return loss


def fit(svi, x, y, steps, seed=1):
    key = jax.random.key(seed)
    losses = []
    for _ in range(steps):
        key, sub = jax.random.split(key)
        losses.append(svi.step(sub, x, y))
    return np.asarray(jnp.stack(losses))


if __name__ == "__main__":
    x, y = make_data()
    svi = SVI(x.shape[1])
    losses = fit(svi, x, y, steps=8)
    print("elbo", -losses[0], "->", -losses[-1], "loc", np.asarray(svi.params["loc"]))
