"""Each tuning compiles the method again: none of these programs lives until the state changes."""

import jax
import jax.numpy as jnp


class Posterior:
    def __init__(self, network):
        self.network = network
        self.state = None

    def fit(self, batches):
        self.state = jnp.zeros(3)
        best = self.tuned(batches)
        self.state = best * self.state
        return best

    def tuned(self, batches):
        score = jax.jit(self.score)
        results = [score(batch) for batch in batches]
        return max(results, key=float)

    def curvature(self, batch):
        hessian = jax.jit(jax.hessian(self.network))
        found = hessian(batch)
        return found

    def score(self, batch):
        return jnp.sum(batch * self.state)
