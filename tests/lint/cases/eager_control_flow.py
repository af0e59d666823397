"""Control flow outside of jit."""

import jax
import jax.numpy as jnp


def add(carry, x):
    return carry + x, None


def local_body(batches):
    for batch in batches:
        print(jax.lax.scan(lambda c, x: (c + x, None), 0.0, batch)[0])  # ! eager-control-flow


def choose(values):
    for value in values:
        print(jax.lax.cond(value > 0, lambda: 1.0, lambda: 2.0))  # ! eager-control-flow


def body_of_the_module(batches):
    for batch in batches:
        print(jax.lax.scan(add, 0.0, batch)[0])


def body_before_the_loop(batches):
    def body(carry, x):
        return carry + x, None

    for batch in batches:
        print(jax.lax.scan(body, 0.0, batch)[0])


@jax.jit
def traced(batches):
    for batch in batches:
        batches = jax.lax.scan(lambda c, x: (c + x, None), 0.0, batch)[0]
    return batches


def library_code(batches):
    out = []
    for batch in batches:
        out.append(jax.lax.scan(lambda c, x: (c + x, None), 0.0, batch)[0])
    return out


def once(batch):
    print(jax.lax.scan(lambda c, x: (c + x, None), 0.0, batch)[0])


if __name__ == "__main__":
    local_body([jnp.ones(3), jnp.ones(4)])
    choose([jnp.ones(()), jnp.zeros(())])
