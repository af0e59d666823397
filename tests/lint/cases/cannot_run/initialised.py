"""`init` and `apply` of a linen module pass their arguments on."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Masked(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, mask, count):
        return nn.Dense(self.width)(x) * mask / count

    def encode(self, x):
        return nn.Dense(self.width)(x)


def too_few(key, x):
    return Masked(4).init(key, x, x)  # ! cannot-run


def in_full(key, x):
    return Masked(4).init(key, x, x, 3), Masked(4).init(rngs=key, x=x, mask=x, count=2)


def by_keyword(key, x):
    return Masked(4).init(rngs=key, x=x, mask=x)  # ! cannot-run


def of_another_method(key, x):
    return Masked(4).init(key, x, method=Masked.encode)


def from_list(key, inputs):
    return Masked(4).init(key, *inputs)


def tried(key, x):
    try:
        return Masked(4).init(key, x, x)
    except TypeError:
        return Masked(4).init(key, x, x, 2)


if __name__ == "__main__":
    key, x = jax.random.key(0), jnp.ones((2, 3))
    too_few(key, x), in_full(key, x), by_keyword(key, x), tried(key, x)
    of_another_method(key, x), from_list(key, (x, x, 3))
    model = Masked(4)
    variables = model.init(key, x, x, 2)
    print(model.apply(variables, x, x))  # ! cannot-run
    print(model.apply(variables, x, x, 2))
