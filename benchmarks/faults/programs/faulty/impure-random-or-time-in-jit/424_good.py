"""Motion imitation environment: each reset starts from a reference clip."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class EnvState(NamedTuple):
    qpos: jax.Array
    clip: jax.Array
    t: jax.Array
    reward: jax.Array


class MotionDataset:
    """Reference clips; indexing gives one clip, `sample` a random one."""

    def __init__(self, num_clips=10, length=20, dof=3, seed=0):
        rng = np.random.default_rng(seed)
        offsets = np.arange(num_clips, dtype=np.float32)[:, None, None]
        self.clips = (offsets + 0.1 * rng.normal(size=(num_clips, length, dof))).astype(np.float32)

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        return self.clips[i]

    def sample(self, rng):
        return jax.random.choice(rng, jnp.asarray(self.clips))


class ImitationEnv:
    def __init__(self, dataset, dt=0.1):
        self.dataset = dataset
        self.dt = dt

    def reset(self, rng):
        clip_rng, noise_rng = jax.random.split(rng)
        clip = self.dataset.sample(clip_rng)
        noise = 0.01 * jax.random.normal(noise_rng, clip[0].shape)
        return EnvState(clip[0] + noise, clip, jnp.int32(0), jnp.float32(0.0))

    def step(self, state, action):
        qpos = state.qpos + self.dt * action
        t = state.t + 1
        target = state.clip[jnp.minimum(t, state.clip.shape[0] - 1)]
        return EnvState(qpos, state.clip, t, jnp.exp(-jnp.sum((qpos - target) ** 2)))


def rollout(env, state, policy, length):
    def body(s, _):
        s = env.step(s, policy(s))
        return s, s.reward

    return jax.lax.scan(body, state, None, length=length)


def collect(env, episodes, seed=0, length=15):
    reset = jax.jit(env.reset)
    run = jax.jit(lambda s: rollout(env, s, lambda st: -st.qpos, length))
    starts, returns = [], []
    for key in jax.random.split(jax.random.key(seed), episodes):
        state = reset(key)
        _, rewards = run(state)
        starts.append(state.qpos)
        returns.append(rewards.sum())
    return np.asarray(jnp.stack(starts)), np.asarray(jnp.stack(returns))


if __name__ == "__main__":
    starts, returns = collect(ImitationEnv(MotionDataset()), episodes=20)
    print("different clips seen", len(np.unique(starts[:, 0].round())), "mean return", returns.mean())
