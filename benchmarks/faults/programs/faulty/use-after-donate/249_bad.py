"""MCMC engine: the model state is donated to the compiled epoch."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Epoch:
    kind: str
    duration: int


def log_prob(beta, data):
    x, y = data
    return -0.5 * jnp.sum((y - x @ beta) ** 2) - 0.5 * jnp.sum(beta**2)


def mala_step(carry, key, data):
    state, kernel = carry
    k1, k2 = jax.random.split(key)
    grad = jax.grad(log_prob)(state["beta"], data)
    eps = kernel["step_size"]
    prop = state["beta"] + 0.5 * eps**2 * grad + eps * jax.random.normal(k1, grad.shape)
    logp = log_prob(prop, data)
    accept = jnp.log(jax.random.uniform(k2)) < logp - state["logp"]
    state = {"beta": jnp.where(accept, prop, state["beta"]),
             "logp": jnp.where(accept, logp, state["logp"]),
             "reference": 0.99 * state["reference"] + 0.01 * state["beta"]}
    step = eps * jnp.exp(0.05 * (accept - 0.6))
    return (state, {"step_size": step}), state["beta"]


class Engine:
    def __init__(self, data, beta, step_size=0.05, seed=0):
        self.data = data
        self.model_state = {"beta": beta, "logp": log_prob(beta, data), "reference": beta}
        self.kernel_state = {"step_size": jnp.float32(step_size)}
        self.key = jax.random.PRNGKey(seed)
        self.samples = []

    @staticmethod
    @partial(jax.jit, donate_argnums=(0, 1))
    def _run_epoch(model_state, kernel_state, keys, data):
        body = lambda c, k: mala_step(c, k, data)
        return jax.lax.scan(body, (model_state, kernel_state), keys)

    def sample(self, epoch):
        self.key, sub = jax.random.split(self.key)
        keys = jax.random.split(sub, epoch.duration)
        (self.model_state, self.kernel_state), draws = self._run_epoch(
            self.model_state, self.kernel_state, keys, self.data)
        if epoch.kind == "posterior":
            self.samples.append(np.asarray(draws))


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3)).astype(np.float32)
    data = (jnp.asarray(x), jnp.asarray(x @ np.array([1.0, -1.0, 0.5], np.float32)))
    engine = Engine(data, jnp.zeros(3))
    for epoch in (Epoch("warmup", 200), Epoch("posterior", 200)):
        engine.sample(epoch)
    print("posterior mean", np.concatenate(engine.samples).mean(0))


if __name__ == "__main__":
    main()
