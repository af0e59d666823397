"""Behaviour cloning with a tanh-squashed Gaussian policy (equinox)."""
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class BCConfig:
    obs_dim: int = 10
    act_dim: int = 3
    hidden: int = 32
    lr: float = 3e-4
    batch_size: int = 64


class GaussianPolicy(eqx.Module):
    trunk: eqx.nn.MLP
    mean: eqx.nn.Linear
    log_std: eqx.nn.Linear

    def __init__(self, cfg, key):
        k1, k2, k3 = jax.random.split(key, 3)
        self.trunk = eqx.nn.MLP(cfg.obs_dim, cfg.hidden, cfg.hidden, 1, key=k1)
        self.mean = eqx.nn.Linear(cfg.hidden, cfg.act_dim, key=k2)
        self.log_std = eqx.nn.Linear(cfg.hidden, cfg.act_dim, key=k3)

    def __call__(self, obs):
        h = jax.nn.relu(self.trunk(obs))
        return self.mean(h), jnp.clip(self.log_std(h), -5.0, 2.0)


def squashed_log_prob(mean, log_std, action):
    raw = jnp.arctanh(action)
    z = (raw - mean) * jnp.exp(-log_std)
    base = -0.5 * z**2 - log_std - 0.5 * jnp.log(2.0 * jnp.pi)
    correction = jnp.log(1.0 - action**2 + 1e-6)
    return jnp.sum(base - correction, axis=-1)


def bc_loss(policy, obs, actions):
    mean, log_std = jax.vmap(policy)(obs)
    return -jnp.mean(squashed_log_prob(mean, log_std, actions))


@eqx.filter_jit
def update(policy, opt_state, opt, obs, actions):
    loss, grads = eqx.filter_value_and_grad(bc_loss)(policy, obs, actions)
    updates, opt_state = opt.update(grads, opt_state, eqx.filter(policy, eqx.is_array))
    return eqx.apply_updates(policy, updates), opt_state, loss


def load_demos(key, cfg, n=256):
    obs = jax.random.normal(key, (n, cfg.obs_dim))
    actions = jnp.clip(1.5 * obs[:, : cfg.act_dim], -1.0, 1.0)
    return obs, actions


if __name__ == "__main__":
    cfg = BCConfig()
    obs, actions = load_demos(jax.random.key(0), cfg)
    policy = GaussianPolicy(cfg, jax.random.key(1))
    opt = optax.adam(cfg.lr)
    opt_state = opt.init(eqx.filter(policy, eqx.is_array))
    for i in range(3):
        policy, opt_state, loss = update(policy, opt_state, opt, obs, actions)
    print("loss", loss, "policy finite:", bool(jnp.isfinite(policy.mean.weight).all()))
