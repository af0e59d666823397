"""Neural posterior estimation from an offline set of simulations."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


def simulate(n, rng):
    theta = rng.normal(size=(n, 2)).astype(np.float32)
    obs = theta[:, None, :] + 0.5 * rng.normal(size=(n, 10, 2)).astype(np.float32)
    return theta, obs


class OfflineDataset:
    def __init__(self, theta, obs, batch_size, rng, shuffle=True):
        self.theta, self.obs = theta, obs
        self.batch_size, self.rng, self.shuffle = batch_size, rng, shuffle

    def __len__(self):
        return int(np.ceil(len(self.theta) / self.batch_size))

    def __iter__(self):
        order = self.rng.permutation(len(self.theta)) if self.shuffle else np.arange(len(self.theta))
        for i in range(len(self)):
            idx = order[i * self.batch_size:(i + 1) * self.batch_size]
            yield self.theta[idx], self.obs[idx]


class GaussianPosterior(eqx.Module):
    summary: eqx.nn.MLP
    head: eqx.nn.Linear

    def __init__(self, key):
        k1, k2 = jax.random.split(key)
        self.summary = eqx.nn.MLP(2, 8, 16, 1, key=k1)
        self.head = eqx.nn.Linear(8, 4, key=k2)

    def log_prob(self, theta, obs):
        s = jax.vmap(self.summary)(obs).mean(axis=0)
        mean, log_std = jnp.split(self.head(s), 2)
        return jax.scipy.stats.norm.logpdf(theta, mean, jnp.exp(log_std)).sum()


optim = optax.adam(5e-3)


@eqx.filter_jit
def train_step(model, opt_state, theta, obs):
    def nll(m):
        return -jnp.mean(jax.vmap(m.log_prob)(theta, obs))

    loss, grads = eqx.filter_value_and_grad(nll)(model)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


def fit(model, dataset, epochs):
    opt_state = optim.init(eqx.filter(model, eqx.is_array))
    for _ in range(epochs):
        for theta, obs in dataset:
            model, opt_state, loss = train_step(model, opt_state, theta, obs)
    return model, loss


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    data = OfflineDataset(*simulate(1000, rng), batch_size=64, rng=rng)
    model, loss = fit(GaussianPosterior(jax.random.key(0)), data, epochs=3)
    print("nll", float(loss))
