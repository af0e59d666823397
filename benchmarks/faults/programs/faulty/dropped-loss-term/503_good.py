"""PPO with a state-independent log standard deviation (equinox)."""
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class PPOConfig:
    clip: float = 0.2
    entropy_loss_scale: float = 0.05
    value_loss_scale: float = 0.5
    lr: float = 3e-3


class Policy(eqx.Module):
    net: eqx.nn.MLP
    log_std: jax.Array

    def __init__(self, key):
        self.net = eqx.nn.MLP(6, 2, 32, 1, key=key)
        self.log_std = jnp.full((2,), -1.0)

    def log_prob(self, obs, act):
        z = (act - self.net(obs)) * jnp.exp(-self.log_std)
        return jnp.sum(-0.5 * z**2 - self.log_std - 0.919, -1)

    def entropy(self):
        return jnp.sum(self.log_std + 1.419)


def policy_loss(policy, batch, cfg):
    logp = jax.vmap(policy.log_prob)(batch["obs"], batch["act"])
    ratio = jnp.exp(logp - batch["logp"])
    clipped = jnp.clip(ratio, 1.0 - cfg.clip, 1.0 + cfg.clip)
    surrogate = -jnp.mean(jnp.minimum(batch["adv"] * ratio, batch["adv"] * clipped))
    kl = jnp.mean((ratio - 1.0) - (logp - batch["logp"]))
    entropy_loss = 0.0
    if cfg.entropy_loss_scale:
        entropy_loss = -cfg.entropy_loss_scale * policy.entropy()
    return surrogate + entropy_loss, (entropy_loss, kl)


class Agent:
    def __init__(self, cfg, key):
        self.cfg = cfg
        self.policy = Policy(key)
        self.opt = optax.adam(cfg.lr)
        self.opt_state = self.opt.init(eqx.filter(self.policy, eqx.is_array))
        self.tracking = {}
        self._step = eqx.filter_jit(self._update)

    def _update(self, policy, opt_state, batch):
        fn = eqx.filter_value_and_grad(policy_loss, has_aux=True)
        (loss, (entropy_loss, kl)), grads = fn(policy, batch, self.cfg)
        updates, opt_state = self.opt.update(grads, opt_state)
        return eqx.apply_updates(policy, updates), opt_state, (loss, entropy_loss, kl), grads

    def update(self, batch):
        self.policy, self.opt_state, out, grads = self._step(self.policy, self.opt_state, batch)
        for name, value in zip(("policy", "entropy", "kl"), out):
            self.tracking.setdefault(name, []).append(float(value))
        return grads


def make_batch(policy, key, n=256):
    k1, k2 = jax.random.split(key)
    obs = jax.random.normal(k1, (n, 6))
    act = jax.vmap(policy.net)(obs) + jnp.exp(policy.log_std) * jax.random.normal(k2, (n, 2))
    return {"obs": obs, "act": act, "logp": jax.vmap(policy.log_prob)(obs, act), "adv": jnp.zeros(n)}


if __name__ == "__main__":
    agent = Agent(PPOConfig(), jax.random.key(0))
    for i in range(20):
        grads = agent.update(make_batch(agent.policy, jax.random.key(i)))
    print("entropy losses", agent.tracking["entropy"][0], agent.tracking["entropy"][-1])
    print("gradient of log_std without advantage", grads.log_std)
