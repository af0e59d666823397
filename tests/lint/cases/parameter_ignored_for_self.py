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

    def loss_of_params(self, params, x):
        return self.params["w"] * x  # ! parameter-ignored-for-self

    def step_of_params(self, x):
        return jax.grad(self.loss_of_params)(self.params, x)

    def score(self, theta, x):
        return self.params["w"] * x

    def over_rows(self, xs):
        return jax.vmap(self.score, in_axes=(None, 0))(self.params, xs)


class Frozen:
    """Known by what it holds: another object is another program."""

    def __init__(self, params):
        self.params = params

    def __hash__(self):
        return id(self.params)

    @partial(jax.jit, static_argnums=0)
    def apply(self, params, x):
        return self.params * x


class Nested:
    def __init__(self):
        self.rate = 0.1

    @partial(jax.jit, static_argnums=0)
    def step(self, rate, x):
        def body(x, _):
            return x * self.rate, None  # ! parameter-ignored-for-self

        return jax.lax.scan(body, x, None, 3)[0]

    @partial(jax.jit, static_argnums=0)
    def reads_within(self, rate, x):
        return jax.lax.scan(lambda x, _: (x * rate * self.rate, None), x, None, 3)[0]
