"""Two-expert denoiser: every step trains the expert that the noise level selects."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    boundary: float = 0.6
    steps: int = 60
    batch: int = 64
    dim: int = 32


def init_expert(key, dim):
    k1, k2 = jax.random.split(key)
    return {"w1": 0.1 * jax.random.normal(k1, (dim + 1, 128)),
            "w2": 0.1 * jax.random.normal(k2, (128, dim))}


def denoise_loss(params, x0, t, key):
    noise = jax.random.normal(key, x0.shape)
    xt = (1 - t)[:, None] * x0 + t[:, None] * noise
    h = jnp.concatenate([xt, t[:, None]], 1)
    pred = jax.nn.silu(h @ params["w1"]) @ params["w2"]
    return jnp.mean((pred - (noise - x0)) ** 2)


tx = optax.adamw(1e-3)


@jax.jit
def train_step(params, opt_state, x0, low, high, key):
    k1, k2 = jax.random.split(key)
    t = jax.random.uniform(k1, (len(x0),), minval=low, maxval=high)
    loss, grads = jax.value_and_grad(denoise_loss)(params, x0, t, k2)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def train(cfg, loader, seed=0):
    base = jax.random.PRNGKey(seed)
    experts = [init_expert(k, cfg.dim) for k in jax.random.split(base)]
    opt_states = [tx.init(e) for e in experts]
    ranges = [(0.0, cfg.boundary), (cfg.boundary, 1.0)]
    running = [jnp.zeros(()), jnp.zeros(())]
    chooser = np.random.default_rng(seed)
    for step in range(cfg.steps):
        step_key = jax.random.fold_in(base, step)
        i = int(chooser.random() >= cfg.boundary)
        experts[i], opt_states[i], loss = train_step(
            experts[i], opt_states[i], next(loader), *ranges[i], step_key)
        running[i] = 0.9 * running[i] + 0.1 * loss
    return experts, [float(r) for r in running]


def make_loader(cfg, seed=1):
    rng = np.random.default_rng(seed)
    while True:
        yield rng.normal(size=(cfg.batch, cfg.dim)).astype(np.float32)


if __name__ == "__main__":
    cfg = TrainConfig()
    _, running = train(cfg, make_loader(cfg))
    print("running losses", running)
