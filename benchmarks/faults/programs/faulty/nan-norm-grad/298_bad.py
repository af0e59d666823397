import jax
import jax.numpy as jnp
import optax
from dataclasses import dataclass


@dataclass(frozen=True)
class ContrastiveConfig:
    dim: int = 8
    temperature: float = 0.2
    eps: float = 1e-6
    lr: float = 1e-2


def l2_normalize(x, eps):
    sq = jnp.sum(jnp.square(x), axis=-1, keepdims=True)
    inv_norm = jax.lax.rsqrt(sq)
    return x * jnp.minimum(inv_norm, 1.0 / eps)


def encode(params, x):
    h = jax.nn.relu(x @ params["w1"])
    return h @ params["w2"]


def info_nce(params, a, b, cfg):
    za = l2_normalize(encode(params, a), cfg.eps)
    zb = l2_normalize(encode(params, b), cfg.eps)
    logits = za @ zb.T / cfg.temperature
    labels = jnp.arange(a.shape[0])
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def make_views(key, n, missing):
    ka, kb = jax.random.split(key)
    base = jax.random.normal(ka, (n, 6))
    view = base + 0.1 * jax.random.normal(kb, base.shape)
    present = (jnp.arange(n) >= missing)[:, None]
    return base * present, view * present


def train(cfg, missing, steps=5):
    k1, k2, kd = jax.random.split(jax.random.key(0), 3)
    params = {
        "w1": jax.random.normal(k1, (6, 16)) * 0.4,
        "w2": jax.random.normal(k2, (16, cfg.dim)) * 0.4,
    }
    tx = optax.sgd(cfg.lr)
    opt_state = tx.init(params)
    a, b = make_views(kd, 12, missing)
    step = jax.jit(jax.value_and_grad(lambda p: info_nce(p, a, b, cfg)))
    for _ in range(steps):
        loss, g = step(params)
        updates, opt_state = tx.update(g, opt_state)
        params = optax.apply_updates(params, updates)
    return float(loss)


if __name__ == "__main__":
    cfg = ContrastiveConfig()
    print("all present", train(cfg, 0))
    print("two rows missing", train(cfg, 2))
