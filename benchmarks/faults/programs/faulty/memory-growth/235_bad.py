"""Stochastic variational inference with a stored loss and iterate history."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


def elbo(params, X, y, key):
    mu, log_sd = params["mu"], params["log_sd"]
    w = mu + jnp.exp(log_sd) * jax.random.normal(key, mu.shape)
    loglik = -0.5 * jnp.sum((X @ w - y) ** 2)
    kl = 0.5 * jnp.sum(jnp.exp(2 * log_sd) + mu**2 - 1 - 2 * log_sd)
    return kl - loglik


class ImpactModel:
    def __init__(self, features, learning_rate=1e-3):
        self.params = {"mu": jnp.zeros(features), "log_sd": jnp.full(features, -2.0, jnp.float32)}
        self.tx = optax.adam(learning_rate)
        self.opt_state = self.tx.init(self.params)
        self.losses = []
        self.residuals = []
        self._update = jax.jit(self._svi_update)

    def _svi_update(self, params, opt_state, X, y, key):
        loss, grads = jax.value_and_grad(elbo)(params, X, y, key)
        updates, opt_state = self.tx.update(grads, opt_state)
        residual = X @ params["mu"] - y
        return optax.apply_updates(params, updates), opt_state, loss, residual

    def fit(self, loader, epochs, key):
        for _ in range(epochs):
            epoch_losses = []
            for X, y in loader:
                key, sub = jax.random.split(key)
                self.params, self.opt_state, loss, residual = self._update(
                    self.params, self.opt_state, X, y, sub)
                epoch_losses.append(loss)
                self.residuals.append(residual)
            self.losses.extend(epoch_losses)
        return self

    def rmse(self):
        return float(jnp.sqrt(jnp.mean(jnp.concatenate(self.residuals) ** 2)))


def make_loader(n=4096, features=16, batch=1024, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features)).astype(np.float32)
    y = (X @ rng.normal(size=features) + 0.1 * rng.normal(size=n)).astype(np.float32)
    return [(X[i:i + batch], y[i:i + batch]) for i in range(0, n, batch)]


if __name__ == "__main__":
    loader = make_loader()
    model = ImpactModel(16)
    for chunk in range(3):
        model.fit(loader, 5, jax.random.PRNGKey(chunk))
        print(chunk, "live bytes", sum(a.nbytes for a in jax.live_arrays()))
    print("rmse", model.rmse())
