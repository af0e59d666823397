"""Tabular-to-deep Q-learning with a decaying exploration rate."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax


class ChainEnv:
    def __init__(self, n=8):
        self.n, self.pos = n, 0

    def reset(self):
        self.pos = 0
        return self._obs()

    def _obs(self):
        return np.eye(self.n, dtype=np.float32)[self.pos]

    def step(self, action):
        self.pos = int(np.clip(self.pos + (1 if action else -1), 0, self.n - 1))
        done = self.pos == self.n - 1
        return self._obs(), float(done), done


def init_q(key, n, hidden=32):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (n, hidden)) * 0.3,
            "w2": jax.random.normal(k2, (hidden, 2)) * 0.3}


def q_values(params, obs):
    return jax.nn.relu(obs @ params["w1"]) @ params["w2"]


@partial(jax.jit, static_argnames=("epsilon",))
def select_action(params, obs, key, epsilon):
    k1, k2 = jax.random.split(key)
    greedy = jnp.argmax(q_values(params, obs))
    explore = jax.random.randint(k1, (), 0, 2)
    return jnp.where(jax.random.uniform(k2) < epsilon, explore, greedy)


tx = optax.adam(1e-2)


@jax.jit
def td_update(params, opt_state, obs, action, reward, next_obs, done):
    target = reward + 0.95 * (1 - done) * q_values(params, next_obs).max()
    loss = lambda p: (q_values(p, obs)[action] - jax.lax.stop_gradient(target)) ** 2
    updates, opt_state = tx.update(jax.grad(loss)(params), opt_state)
    return optax.apply_updates(params, updates), opt_state


def train(total_steps=30, eps_start=1.0, eps_end=0.05):
    env, key = ChainEnv(), jax.random.PRNGKey(0)
    params = init_q(key, env.n)
    opt_state = tx.init(params)
    obs = env.reset()
    for step in range(total_steps):
        key, sub = jax.random.split(key)
        epsilon = eps_start + (eps_end - eps_start) * step / total_steps
        action = int(select_action(params, obs, sub, epsilon=epsilon))
        next_obs, reward, done = env.step(action)
        params, opt_state = td_update(params, opt_state, obs, action, reward,
                                      next_obs, float(done))
        obs = env.reset() if done else next_obs
    return params


if __name__ == "__main__":
    train()
    print("select_action programs", select_action._cache_size())
