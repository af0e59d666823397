"""Dummy inputs of a look at a layer, drawn from one key; a clock that only becomes text."""

from datetime import datetime

import haiku as hk
import jax


def layer(x, a):
    return hk.Linear(3)(x) + hk.Linear(3)(a)


@jax.jit
def told(x):
    print(": ".join([str(datetime.now()), "traced"]))
    return x * 2


if __name__ == "__main__":
    rng = jax.random.PRNGKey(42)
    x = jax.random.normal(rng, (2, 3, 3))
    a = jax.random.normal(rng, (2, 3, 2))
    net = hk.transform(layer)
    params = net.init(rng, x, a)
    print(params)
    print(net.apply(params, rng, x, a))
