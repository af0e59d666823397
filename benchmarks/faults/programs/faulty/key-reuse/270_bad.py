from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class TrainConfig:
    num_envs: int = 8
    num_rules: int = 16
    grid: int = 9
    total_updates: int = 4
    seed: int = 42


def sample_ruleset(rng, cfg):
    return jax.random.randint(rng, (3,), 0, cfg.num_rules)


def reset(rng, ruleset, cfg):
    pos = jax.random.randint(rng, (2,), 0, cfg.grid)
    return {"pos": pos, "ruleset": ruleset, "t": jnp.zeros((), jnp.int32)}


def rollout(rng, state, cfg, length=5):
    def step(carry, key):
        move = jax.random.randint(key, (2,), -1, 2)
        pos = jnp.clip(carry["pos"] + move, 0, cfg.grid - 1)
        reward = (pos.sum() == carry["ruleset"].sum()).astype(jnp.float32)
        return {**carry, "pos": pos, "t": carry["t"] + 1}, reward

    return jax.lax.scan(step, state, jax.random.split(rng, length))


def make_train(cfg):
    @partial(jax.jit)
    def update(rng):
        rng, rng1, rng2 = jax.random.split(rng, num=3)
        ruleset_rng = jax.random.split(rng, num=cfg.num_envs)
        reset_rng = jax.random.split(rng, num=cfg.num_envs)

        rulesets = jax.vmap(sample_ruleset, in_axes=(0, None))(ruleset_rng, cfg)
        states = jax.vmap(reset, in_axes=(0, 0, None))(reset_rng, rulesets, cfg)

        rng, roll = jax.random.split(rng)
        roll_rng = jax.random.split(roll, num=cfg.num_envs)
        _, rewards = jax.vmap(rollout, in_axes=(0, 0, None))(roll_rng, states, cfg)
        same = jnp.all(ruleset_rng == reset_rng)
        return rng, rewards.mean(), same

    return update


def main(cfg=TrainConfig()):
    update = make_train(cfg)
    rng = jax.random.PRNGKey(cfg.seed)
    for i in range(cfg.total_updates):
        rng, reward, same = update(rng)
        print(i, float(reward), "rule and reset keys equal:", bool(same))


if __name__ == "__main__":
    main()
