from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class RnnConfig:
    hidden: int = 12
    inputs: int = 3
    lr: float = 0.05
    steps: int = 20


def init_params(key, cfg):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "w_in": jax.random.normal(k1, (cfg.inputs, cfg.hidden)) * 0.3,
        "w_rec": jax.random.normal(k2, (cfg.hidden, cfg.hidden)) * 0.3,
        "w_out": jax.random.normal(k3, (cfg.hidden, 1)) * 0.3,
    }


def forward(params, xs):
    def cell(h, x):
        h = jnp.tanh(x @ params["w_in"] + h @ params["w_rec"])
        return h, h @ params["w_out"]

    h0 = jnp.zeros((xs.shape[1], params["w_rec"].shape[0]))
    _, outs = jax.lax.scan(cell, h0, xs)
    return outs[..., 0]


def objective(params, xs, targets):
    outs = forward(params, xs)
    return jnp.mean((outs - targets) ** 2), outs


def train_step(params, xs, targets, lr):
    (loss, outs), grads = jax.value_and_grad(objective, has_aux=True)(params, xs, targets)
    params = jax.tree.map(lambda p, g: p - lr * g, params, grads)
    return params, loss, outs


def main(cfg=RnnConfig()):
    key = jax.random.key(1)
    key, k_data = jax.random.split(key)
    xs = jax.random.normal(k_data, (8, 16, cfg.inputs))
    targets = jnp.cumsum(xs[..., 0], axis=0)
    params = init_params(key, cfg)
    step = jax.jit(train_step, static_argnames="lr")
    history = []
    for _ in range(cfg.steps):
        params, loss, _ = step(params, xs, targets, lr=cfg.lr)
        history.append(float(loss))
    print(f"loss first {history[0]:.5f} last {history[-1]:.5f}")


if __name__ == "__main__":
    main()
