from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
from flax import nnx


@dataclass
class TrainConfig:
    lr: float = 3e-3
    clip: float = 1.0
    steps: int = 20
    width: int = 16


class Regressor(nnx.Module):
    def __init__(self, width, rngs):
        self.net = nnx.Sequential(
            nnx.Linear(3, width, rngs=rngs), nnx.tanh, nnx.Linear(width, 1, rngs=rngs)
        )

    def __call__(self, x):
        return self.net(x)[:, 0]


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Regressor(cfg.width, nnx.Rngs(0))
        tx = optax.chain(optax.clip_by_global_norm(cfg.clip), optax.adamw(cfg.lr))
        self.optimizer = nnx.Optimizer(self.model, tx, wrt=nnx.Param)

    @staticmethod
    @nnx.jit
    def step(model, optimizer, x, y):
        def loss_fn(m):
            return jnp.mean(optax.huber_loss(m(x), y))

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    def fit(self, x, y):
        for _ in range(self.cfg.steps):
            loss = self.step(self.model, self.optimizer, x, y)
        return float(loss)


if __name__ == "__main__":
    x = jax.random.normal(jax.random.key(1), (64, 3))
    print("loss", Trainer(TrainConfig()).fit(x, jnp.sin(x[:, 0])))
