"""One function makes two networks of other sizes: their shapes are not mixed up."""

import jax
import jax.numpy as jnp


def network(key, size, width=16):
    one, two = jax.random.split(key)
    return {
        "w1": jax.random.normal(one, (size, width)),
        "w2": jax.random.normal(two, (width, 1)),
    }


def apply(params, *inputs):
    hidden = jnp.tanh(jnp.concatenate(inputs, axis=-1) @ params["w1"])
    return (hidden @ params["w2"])[:, 0]


@jax.jit
def difference(critic, value, states, actions):
    return jnp.mean((apply(critic, states, actions) - apply(value, states)) ** 2)


def main():
    first, second, third, fourth = jax.random.split(jax.random.key(0), 4)
    critic, value = network(first, 5), network(second, 3)
    states = jax.random.normal(third, (32, 3))
    actions = jax.random.normal(fourth, (32, 2))
    print(difference(critic, value, states, actions))


main()
