"""Value-based agent on a batched random-walk chain, seeds run in parallel."""
from dataclasses import dataclass

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


@dataclass(frozen=True)
class Config:
    num_envs: int = 4
    chain_length: int = 8
    hidden: int = 16
    updates: int = 20
    eps: float = 0.3
    gamma: float = 0.95
    lr: float = 3e-3


def reset(rng, length):
    return jax.random.randint(rng, (), 0, length)


def observe(pos, length):
    return jax.nn.one_hot(pos, length)


def step(rng, pos, action, length):
    slip = jax.random.bernoulli(rng, 0.1)
    delta = jnp.where(jnp.logical_xor(action == 1, slip), 1, -1)
    pos = jnp.clip(pos + delta, 0, length - 1)
    return pos, (pos == length - 1).astype(jnp.float32)


def make_train(cfg: Config):
    net = nn.Sequential([nn.Dense(cfg.hidden), nn.relu, nn.Dense(2)])

    def train(rng):
        probe_rng, slip_rng = jax.random.split(jax.random.PRNGKey(0))
        probe = reset(probe_rng, cfg.chain_length)
        example = observe(step(slip_rng, probe, 1, cfg.chain_length)[0], cfg.chain_length)

        rng, init_rng, reset_rng = jax.random.split(rng, 3)
        params = net.init(init_rng, example)
        state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(cfg.lr))
        envs = jax.vmap(reset, (0, None))(jax.random.split(reset_rng, cfg.num_envs), cfg.chain_length)

        def update(carry, _):
            state, envs, rng = carry
            rng, act_rng, eps_rng, step_rng = jax.random.split(rng, 4)
            obs = jax.vmap(observe, (0, None))(envs, cfg.chain_length)
            q = state.apply_fn(state.params, obs)
            explore = jax.random.bernoulli(eps_rng, cfg.eps, (cfg.num_envs,))
            random_action = jax.random.randint(act_rng, (cfg.num_envs,), 0, 2)
            action = jnp.where(explore, random_action, q.argmax(-1))
            keys = jax.random.split(step_rng, cfg.num_envs)
            envs, reward = jax.vmap(step, (0, 0, 0, None))(keys, envs, action, cfg.chain_length)
            next_q = state.apply_fn(state.params, jax.vmap(observe, (0, None))(envs, cfg.chain_length))
            target = jax.lax.stop_gradient(reward + cfg.gamma * next_q.max(-1))

            def loss_fn(params):
                q = state.apply_fn(params, obs)
                chosen = jnp.take_along_axis(q, action[:, None], axis=1)[:, 0]
                return jnp.mean((chosen - target) ** 2)

            loss, grads = jax.value_and_grad(loss_fn)(state.params)
            return (state.apply_gradients(grads=grads), envs, rng), loss

        (_, _, _), losses = jax.lax.scan(update, (state, envs, rng), None, cfg.updates)
        return losses

    return train


if __name__ == "__main__":
    seeds = jax.random.split(jax.random.PRNGKey(7), 3)
    losses = jax.jit(jax.vmap(make_train(Config())))(seeds)
    print("final losses per seed", losses[:, -1], "spread", jnp.ptp(losses[:, -1]))
