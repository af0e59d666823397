from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


@dataclass(frozen=True)
class PolicyConfig:
    chunk: int = 8
    action_dim: int = 3
    width: int = 24


class FlowPolicy(nn.Module):
    cfg: PolicyConfig

    @nn.compact
    def __call__(self, obs, noisy, t):
        flat = noisy.reshape(noisy.shape[0], -1)
        x = jnp.concatenate([obs, flat, t[:, None]], -1)
        x = nn.silu(nn.Dense(self.cfg.width)(x))
        return nn.Dense(flat.shape[-1])(x).reshape(noisy.shape)


def flow_loss(params, model, batch, key):
    kn, kt = jax.random.split(key)
    actions = batch["actions"]
    noise = jax.random.normal(kn, actions.shape)
    t = jax.random.uniform(kt, (actions.shape[0],))
    noisy = t[:, None, None] * noise + (1 - t[:, None, None]) * actions
    pred = model.apply({"params": params}, batch["obs"], noisy, t)
    losses = (pred - (noise - actions)) ** 2
    in_episode = ~batch["action_is_pad"]
    losses = losses * in_episode[..., None]
    return losses.mean()


def make_batch(key, cfg, pad):
    ko, ka = jax.random.split(key)
    n = 16
    is_pad = jnp.arange(cfg.chunk)[None] >= cfg.chunk - pad
    return {
        "obs": jax.random.normal(ko, (n, 4)),
        "actions": jax.random.normal(ka, (n, cfg.chunk, cfg.action_dim)),
        "action_is_pad": jnp.broadcast_to(is_pad, (n, cfg.chunk)),
    }


def main():
    cfg = PolicyConfig()
    model = FlowPolicy(cfg)
    batch = make_batch(jax.random.key(0), cfg, 0)
    params = model.init(
        jax.random.key(1), batch["obs"], batch["actions"], jnp.zeros(16)
    )["params"]
    grad_fn = jax.jit(jax.value_and_grad(flow_loss), static_argnums=1)
    for pad in (0, 4, 7):
        loss, g = grad_fn(params, model, make_batch(jax.random.key(0), cfg, pad), jax.random.key(2))
        print(f"padded {pad}: loss {loss:.3f} grad norm {optax.global_norm(g):.3f}")


if __name__ == "__main__":
    main()
