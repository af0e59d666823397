import jax
import jax.numpy as jnp
import numpy as np
import optax


class TriangularFlow:
    """Correlation model with a Cholesky factor: packs and unpacks fixed positions."""

    def __init__(self, dim):
        self.dim = dim
        self.lower = np.tril(np.ones((dim, dim), bool), k=-1)
        self.num_free = int(self.lower.sum())

    def unpack(self, theta):
        chol = jnp.eye(self.dim)
        return chol.at[self.lower].set(theta)

    def pack(self, matrix):
        return matrix[self.lower]

    def neg_log_prob(self, theta, x):
        chol = self.unpack(theta)
        z = jax.scipy.linalg.solve_triangular(chol, x.T, lower=True)
        prior = 0.01 * jnp.sum(self.pack(chol) ** 2)
        return 0.5 * jnp.mean(jnp.sum(z**2, axis=0)) + prior


def fit(model, x, steps=40, lr=5e-2):
    theta = jnp.zeros(model.num_free)
    tx = optax.adam(lr)
    opt_state = tx.init(theta)

    @jax.jit
    def step(theta, opt_state):
        value, g = jax.value_and_grad(model.neg_log_prob)(theta, x)
        updates, opt_state = tx.update(g, opt_state)
        return optax.apply_updates(theta, updates), opt_state, value

    for _ in range(steps):
        theta, opt_state, value = step(theta, opt_state)
    return theta, float(value)


def main():
    rng = np.random.default_rng(0)
    raw = rng.standard_normal((200, 3))
    raw[:, 1] += 0.8 * raw[:, 0]
    keep = np.abs(raw).max(axis=1) < 3.0
    model = TriangularFlow(3)
    theta, value = fit(model, jnp.asarray(raw[keep]))
    print("theta", np.round(np.asarray(theta), 2), "value", value)


if __name__ == "__main__":
    main()
