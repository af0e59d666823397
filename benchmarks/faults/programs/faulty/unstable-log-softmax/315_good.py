import jax
import jax.numpy as jnp
from typing import NamedTuple


LOG_CLUTTER = -1e9


class Particles(NamedTuple):
    x: jax.Array
    log_w: jax.Array


def normalize_log_weights(log_w):
    w_max = jnp.max(log_w)
    shifted = log_w - w_max
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted)))


def effective_sample_size(log_w):
    return 1.0 / jnp.sum(jnp.exp(2.0 * normalize_log_weights(log_w)))


def propagate(key, p, scale=0.3):
    x = 0.95 * p.x + scale * jax.random.normal(key, p.x.shape)
    return p._replace(x=x)


def reweight(p, y, obs_scale):
    inside = jnp.abs(y - p.x) < 10.0 * obs_scale
    loglik = jnp.where(inside, -0.5 * ((y - p.x) / obs_scale) ** 2, LOG_CLUTTER)
    return p._replace(log_w=p.log_w + loglik)


def delta_mixture_mean(p):
    weights = jnp.exp(normalize_log_weights(p.log_w))
    return jnp.sum(weights * p.x), jnp.sum(weights)


def particle_filter(key, ys, n, obs_scale, outlier):
    p = Particles(jnp.zeros(n), jnp.zeros(n))

    def step(p, inp):
        k, y = inp
        p = reweight(propagate(k, p), y + outlier, obs_scale)
        mean, mass = delta_mixture_mean(p)
        return p, (mean, mass, effective_sample_size(p.log_w))

    keys = jax.random.split(key, ys.shape[0])
    return jax.lax.scan(step, p, (keys, ys))[1]


def main():
    ys = jnp.sin(jnp.arange(10) * 0.3)
    run = jax.jit(particle_filter, static_argnums=2)
    for outlier in (0.0, 1e5):
        _, mass, ess = run(jax.random.key(0), ys, 11, 0.5, outlier)
        print(f"outlier {outlier:.0e} total weight {mass[-1]:.3f} ess {ess[-1]:.3f}")


if __name__ == "__main__":
    main()
