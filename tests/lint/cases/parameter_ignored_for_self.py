"""Parameters with the names of attributes."""

from functools import partial

import jax


class Model:
    def __init__(self):
        self.params = 1.0
        self.rate = 0.1

    @partial(jax.jit, static_argnums=0)
    def apply(self, params, x):
        return self.params * x  # ! parameter-ignored-for-self


class Right:
    @partial(jax.jit, static_argnums=0)
    def apply(self, params, x):
        return params * x + self.rate

    @partial(jax.jit, static_argnums=0)
    def compares(self, params, x):
        return params - self.params + x

    @partial(jax.jit, static_argnums=0)
    def hands_on(self, params, x):
        return self.apply(params=params, x=x)

    def eager(self, params):
        return self.params


@jax.jit
def function(params, x):
    return params * x


class Trainer:
    def __init__(self):
        self.params = {"w": 1.0}
        self.rate = 0.1

    def loss(self, theta, x):
        return self.params["w"] * x  # ! parameter-ignored-for-self

    def loss_of_theta(self, theta, x):
        return theta["w"] * x * self.rate

    def step(self, x):
        return jax.grad(self.loss)(self.params, x), jax.grad(self.loss_of_theta)(self.params, x)

    def score(self, theta, x):
        return self.params["w"] * x

    def over_rows(self, xs):
        return jax.vmap(self.score, in_axes=(None, 0))(self.params, xs)
