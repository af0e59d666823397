import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class State:
    pos: jax.Array
    rng: jax.Array
    reward: jax.Array


class Reacher:
    def reset(self, rng):
        rng, sub = jax.random.split(rng)
        pos = jax.random.uniform(sub, (2,), minval=-1.0, maxval=1.0)
        return State(pos=pos, rng=rng, reward=jnp.zeros(()))

    def step(self, state, action):
        rng, sub = jax.random.split(state.rng)
        pos = state.pos + 0.1 * action + 0.01 * jax.random.normal(sub, (2,))
        return state.replace(pos=pos, rng=rng, reward=-jnp.linalg.norm(pos))


class VmapWrapper:
    """Expects a batch of keys: the trainer splits before it calls reset."""

    def __init__(self, env):
        self.env = env

    def reset(self, rng):
        return jax.vmap(self.env.reset)(rng)

    def step(self, state, action):
        return jax.vmap(self.env.step)(state, action)


def train(num_envs=16, updates=3, seed=0):
    env = VmapWrapper(Reacher())
    key = jax.random.key(seed)
    reset, step = jax.jit(env.reset), jax.jit(env.step)
    for _ in range(updates):
        key, reset_key, act_key = jax.random.split(key, 3)
        state = reset(jax.random.split(reset_key, num_envs))
        for k in jax.random.split(act_key, 5):
            state = step(state, jax.random.normal(k, (num_envs, 2)))
    return state


if __name__ == "__main__":
    final = train()
    print("distinct positions", len(set(final.pos[:, 0].tolist())), float(final.reward.mean()))
