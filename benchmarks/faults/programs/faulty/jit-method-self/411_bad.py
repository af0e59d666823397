"""Tabular-feature Q-learning on a chain, epsilon-greedy with decay."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class ChainEnv:
    def __init__(self, length=8):
        self.length = length
        self.state = 0

    def reset(self):
        self.state = 0
        return self.state

    def step(self, action):
        self.state = min(self.state + 1, self.length - 1) if action == 1 else max(self.state - 1, 0)
        done = self.state == self.length - 1
        return self.state, float(done), done


class QAgent:
    def __init__(self, num_states, num_actions, epsilon=1.0, decay=0.9, lr=0.5, gamma=0.95):
        self.num_states, self.num_actions = num_states, num_actions
        self.epsilon, self.decay = epsilon, decay
        self.lr, self.gamma = lr, gamma
        self.q = jnp.zeros((num_states, num_actions))

    @partial(jax.jit, static_argnums=0)
    def act(self, q, state, key):
        k_explore, k_action = jax.random.split(key)
        random_action = jax.random.randint(k_action, (), 0, self.num_actions)
        explore = jax.random.uniform(k_explore) < self.epsilon
        return jnp.where(explore, random_action, jnp.argmax(q[state])), explore

    @partial(jax.jit, static_argnums=0)
    def update(self, q, s, a, r, s2, done):
        target = r + self.gamma * (1.0 - done) * q[s2].max()
        return q.at[s, a].add(self.lr * (target - q[s, a]))

    def end_episode(self):
        self.epsilon = max(0.02, self.epsilon * self.decay)


def run(agent, env, episodes, key, max_steps=60):
    explored = []
    for _ in range(episodes):
        s, count = env.reset(), []
        for _ in range(max_steps):
            key, sub = jax.random.split(key)
            a, explore = agent.act(agent.q, s, sub)
            s2, r, done = env.step(int(a))
            agent.q = agent.update(agent.q, s, a, r, s2, float(done))
            count.append(explore)
            s = s2
            if done:
                break
        explored.append(np.mean(jax.device_get(count)))
        agent.end_episode()
    return np.asarray(explored)


if __name__ == "__main__":
    env = ChainEnv()
    agent = QAgent(env.length, 2)
    rate = run(agent, env, episodes=25, key=jax.random.key(0))
    print("epsilon", agent.epsilon, "exploration rate, last episodes", rate[-5:].mean())
