"""Actor-critic agent: the update is compiled once in the constructor from a bound method."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Transition(NamedTuple):
    obs: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    next_obs: np.ndarray


class ActorCritic:
    def __init__(self, obs_dim, num_actions, gamma=0.95, entropy_cost=0.01, lr=3e-3, seed=0):
        self.gamma = gamma
        self.entropy_cost = entropy_cost
        self.num_actions = num_actions
        self.tx = optax.adam(lr)
        k1, k2 = jax.random.split(jax.random.key(seed))
        self.params = {
            "actor": 0.1 * jax.random.normal(k1, (obs_dim, num_actions)),
            "critic": 0.1 * jax.random.normal(k2, (obs_dim,)),
        }
        self.opt_state = self.tx.init(self.params)
        self._update = jax.jit(self._update_fn)
        self._policy = jax.jit(self._policy_fn)

    def _policy_fn(self, params, obs, key):
        return jax.random.categorical(key, obs @ params["actor"])

    def _loss(self, params, batch):
        logp = jax.nn.log_softmax(batch.obs @ params["actor"])
        v, v_next = batch.obs @ params["critic"], batch.next_obs @ params["critic"]
        td = batch.reward + self.gamma * jax.lax.stop_gradient(v_next) - v
        picked = jnp.take_along_axis(logp, batch.action[:, None], axis=1)[:, 0]
        entropy = -jnp.sum(jnp.exp(logp) * logp, axis=1).mean()
        actor = -jnp.mean(picked * jax.lax.stop_gradient(td))
        return actor + 0.5 * jnp.mean(td**2) - self.entropy_cost * entropy

    def _update_fn(self, params, opt_state, batch):
        loss, grads = jax.value_and_grad(self._loss)(params, batch)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    def act(self, obs, key):
        return np.asarray(self._policy(self.params, obs, key))

    def learn(self, batch):
        self.params, self.opt_state, loss = self._update(self.params, self.opt_state, batch)
        return loss


def main(iterations=50, batch=32):
    rng = np.random.default_rng(0)
    agent = ActorCritic(4, 3)
    for key in jax.random.split(jax.random.key(1), iterations):
        obs = rng.normal(size=(batch, 4)).astype(np.float32)
        action = agent.act(obs, key)
        reward = (action == obs[:, :3].argmax(1)).astype(np.float32)
        nxt = rng.normal(size=(batch, 4)).astype(np.float32)
        loss = agent.learn(Transition(obs, action, reward, nxt))
    print("loss", float(loss), "reward", reward.mean(), "programs", agent._update._cache_size())


if __name__ == "__main__":
    main()
