import jax
import jax.numpy as jnp
import numpy as np


def gpd_quantile(p, k, sigma):
    return sigma * jnp.where(jnp.abs(k) < 1e-6, -jnp.log1p(-p), jnp.expm1(-k * jnp.log1p(-p)) / k)


def fit_gpd(tail):
    m = jnp.mean(tail)
    v = jnp.var(tail)
    k = 0.5 * (1.0 - m**2 / v)
    return k, 0.5 * m * (m**2 / v + 1.0)


def ps_tail(log_weights, tail_len):
    order = jnp.argsort(log_weights)
    tail_ids = order[-tail_len:]
    cutoff = log_weights[order[-tail_len - 1]]
    tail = jnp.exp(log_weights[tail_ids]) - jnp.exp(cutoff)
    k, sigma = fit_gpd(tail)
    probs = (jnp.arange(tail_len) + 0.5) / tail_len
    smoothed = jnp.log(gpd_quantile(probs, k, sigma) + jnp.exp(cutoff))
    capped = jnp.minimum(smoothed, log_weights.max())
    log_weights = log_weights.at[tail_ids].set(capped)
    return log_weights, k


def psis_loo(log_lik):
    """Pointwise leave-one-out with smoothed importance weights; (draws, obs)."""
    draws, obs = log_lik.shape
    tail_len = int(min(0.2 * draws, 3 * np.sqrt(draws)))
    elpd, ks = [], []
    for i in range(obs):
        lw = -log_lik[:, i]
        lw, k = ps_tail(lw - lw.max(), tail_len)
        lw = lw - jax.nn.logsumexp(lw)
        elpd.append(jax.nn.logsumexp(lw + log_lik[:, i]))
        ks.append(k)
    return jnp.stack(elpd).sum(), jnp.stack(ks)


def posterior_log_lik(key, y, draws=300):
    mu = y.mean() + jax.random.normal(key, (draws,)) / jnp.sqrt(y.shape[0])
    return -0.5 * (y[None, :] - mu[:, None]) ** 2 - 0.5 * jnp.log(2 * jnp.pi)


def main():
    y = jnp.asarray(np.random.default_rng(0).normal(1.0, 1.0, size=12))
    elpd, ks = psis_loo(posterior_log_lik(jax.random.key(0), y))
    print("elpd", float(elpd), "max k", float(ks.max()))


if __name__ == "__main__":
    main()
