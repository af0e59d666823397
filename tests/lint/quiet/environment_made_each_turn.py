"""Each turn makes an equal environment: the one that is compiled in does as well."""

import jax
import jax.numpy as jnp


class Env:
    def reset(self, key):
        return jax.random.normal(key, (4,))

    def step(self, state):
        return state * 0.9


def create_env(name):
    return Env() if name == "ball" else None


def show(name, turns):
    @jax.jit
    def step(state):
        return env.step(state)

    states = []
    for turn in range(10):
        env = create_env(name)
        state = env.reset(jax.random.key(turn))
        for _ in range(turns):
            state = step(state)
            states.append(state)
    return jnp.stack(states)
