"""Tiny effect-handler VI for a linear regression, in the spirit of a PPL."""
import jax
import jax.numpy as jnp
from jax import random

STACK = []


class Seed:
    """Gives every `sample` site inside the block its own key."""

    def __init__(self, rng):
        self.rng = rng

    def __enter__(self):
        STACK.append(self)
        return self

    def __exit__(self, *exc):
        STACK.pop()

    def process(self, msg):
        if msg["value"] is None:
            msg["key"] = self.rng
            (self.rng,) = random.split(self.rng, 1)


class StudentT:
    def __init__(self, df, loc, scale):
        self.df, self.loc, self.scale = df, loc, scale

    def sample(self, key, shape=()):
        k_normal, k_chi2 = random.split(key)
        z = random.normal(k_normal, shape)
        chi2 = 2.0 * random.gamma(k_chi2, self.df / 2.0, shape)
        return self.loc + self.scale * z / jnp.sqrt(chi2 / self.df)


class LogNormal:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def sample(self, key, shape=()):
        return jnp.exp(self.loc + self.scale * random.normal(key, shape))


def sample(name, dist, shape=(), obs=None):
    msg = {"name": name, "value": obs, "key": None}
    if STACK:
        STACK[-1].process(msg)
    return dist.sample(msg["key"], shape) if msg["value"] is None else msg["value"]


def simulate(key, n):
    with Seed(key):
        noise = sample("noise", StudentT(5.0, 0.0, 1.0), (n,))
        scale = sample("scale", LogNormal(0.0, 0.5), (n,))
    return noise, scale


def fit_scale(noise, scale):
    design = jnp.stack([jnp.ones_like(scale), jnp.log(scale)], axis=1)
    theta, *_ = jnp.linalg.lstsq(design, noise)
    return theta


if __name__ == "__main__":
    noise, scale = simulate(random.PRNGKey(3), 4000)
    corr = jnp.corrcoef(noise, jnp.log(scale))[0, 1]
    print("correlation of independent sites:", corr, "slope", fit_scale(noise, scale))
