"""Actor-critic loss for a colloid swarm: one network with two heads."""
from dataclasses import dataclass

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class ActorCritic(nn.Module):
    n_actions: int

    @nn.compact
    def __call__(self, x):
        a = nn.relu(nn.Dense(16, name="actor_body")(x))
        c = nn.relu(nn.Dense(16, name="critic_body")(x))
        return nn.Dense(self.n_actions, name="actor")(a), nn.Dense(1, name="critic")(c)[..., 0]


@dataclass
class GradientAgentLoss:
    gamma: float = 0.95
    entropy_coef: float = 0.01

    def expected_returns(self, rewards):
        def body(carry, r):
            carry = r + self.gamma * carry
            return carry, carry

        _, returns = jax.lax.scan(body, jnp.zeros(rewards.shape[1]), rewards, reverse=True)
        return (returns - returns.mean()) / (returns.std() + 1e-6)

    def actor_loss(self, logits, values, actions, returns):
        logp = jax.nn.log_softmax(logits)
        chosen = jnp.take_along_axis(logp, actions[..., None], -1)[..., 0]
        entropy = -jnp.sum(jnp.exp(logp) * logp, -1)
        advantage = returns - values
        return -jnp.sum(chosen * advantage) - self.entropy_coef * jnp.sum(entropy)

    def critic_loss(self, values, returns):
        return jnp.sum(optax.huber_loss(values, returns))

    def __call__(self, params, apply_fn, episode):
        logits, values = apply_fn({"params": params}, episode["obs"])
        returns = self.expected_returns(episode["reward"])
        actor = self.actor_loss(logits, values, episode["action"], returns)
        critic = self.critic_loss(values, returns)
        return actor + critic, (actor, critic)


def train_step(loss_fn):
    @jax.jit
    def step(state, episode):
        (loss, parts), grads = jax.value_and_grad(loss_fn, has_aux=True)(
            state.params, state.apply_fn, episode
        )
        return state.apply_gradients(grads=grads), parts

    return step


def make_episode(key, t=20, n=8):
    k1, k2 = jax.random.split(key)
    obs = jax.random.normal(k1, (t, n, 4))
    action = jax.random.randint(k2, (t, n), 0, 3)
    return {"obs": obs, "action": action, "reward": obs[..., 0] - 0.2 * (action == 2)}


if __name__ == "__main__":
    model, loss_fn = ActorCritic(3), GradientAgentLoss()
    ep = make_episode(jax.random.key(0))
    params = model.init(jax.random.key(1), ep["obs"])["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    actor_only = jax.grad(lambda p: loss_fn(p, model.apply, ep)[1][0])(params)
    print("actor loss gradient on the critic head", jnp.abs(actor_only["critic"]["kernel"]).max())
    step = train_step(loss_fn)
    for i in range(300):
        state, (actor, critic) = step(state, make_episode(jax.random.key(i)))
    print("actor", float(actor), "critic", float(critic))
