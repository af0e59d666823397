import jax
import jax.numpy as jnp
import optax


def censored_loglik(log_rate, log_shape, times, observed):
    """Weibull log likelihood; zero times are patients without any follow-up."""
    k = jnp.exp(log_shape)
    cum_hazard = jnp.where(times > 0, (times * jnp.exp(log_rate)) ** k, 0.0)
    log_hazard = jnp.log(k) + k * log_rate + (k - 1) * jnp.log(times)
    ll = observed * log_hazard - cum_hazard
    return jnp.where(times > 0, ll, 0.0)


class SurvivalRegression:
    def __init__(self, num_features, lr=5e-2):
        self.params = {"beta": jnp.zeros(num_features), "log_shape": jnp.zeros(())}
        self.tx = optax.adam(lr)
        self.opt_state = self.tx.init(self.params)

    @staticmethod
    def neg_loglik(params, x, times, observed):
        log_rate = x @ params["beta"]
        return -jnp.mean(censored_loglik(log_rate, params["log_shape"], times, observed))

    def fit(self, x, times, observed, steps=20):
        @jax.jit
        def step(params, opt_state):
            loss, g = jax.value_and_grad(self.neg_loglik)(params, x, times, observed)
            updates, opt_state = self.tx.update(g, opt_state, params)
            return optax.apply_updates(params, updates), opt_state, loss

        for _ in range(steps):
            self.params, self.opt_state, loss = step(self.params, self.opt_state)
        return float(loss)


def simulate(key, n=100):
    kx, kt, kc = jax.random.split(key, 3)
    x = jax.random.normal(kx, (n, 2))
    times = jax.random.exponential(kt, (n,)) * jnp.exp(-x[:, 0])
    observed = (jax.random.uniform(kc, (n,)) < 0.7).astype(jnp.float32)
    return x, times.at[:4].set(0.0), observed.at[:4].set(0.0)


if __name__ == "__main__":
    data = simulate(jax.random.key(0))
    model = SurvivalRegression(2)
    first = float(model.neg_loglik(model.params, *data))
    print("first loss", first, "last loss", model.fit(*data))
    print(model.params)
