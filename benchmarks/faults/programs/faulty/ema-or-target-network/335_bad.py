from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class EmaAveraging(eqx.Module):
    model: Any
    beta: float = eqx.field(static=True)

    def update(self, new_model):
        avg = jax.tree.map(
            lambda old, new: (1 - self.beta) * old + self.beta * new,
            eqx.filter(self.model, eqx.is_inexact_array),
            eqx.filter(new_model, eqx.is_inexact_array),
        )
        return EmaAveraging(eqx.combine(avg, self.model), self.beta)


@dataclass(frozen=True)
class TrainerConfig:
    lr: float = 3e-2
    beta: float = 0.98
    steps: int = 60
    batch: int = 4


def loss_fn(model, x, y):
    return jnp.mean((jax.vmap(model)(x)[:, 0] - y) ** 2)


@eqx.filter_jit
def train_step(model, ema, opt_state, tx, x, y):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(model, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    model = eqx.apply_updates(model, updates)
    return model, ema.update(model), opt_state, loss


def main(cfg=TrainerConfig()):
    model = eqx.nn.MLP(2, 1, 16, 1, key=jax.random.key(0))
    ema = EmaAveraging(model, cfg.beta)
    tx = optax.adam(cfg.lr)
    opt_state = tx.init(eqx.filter(model, eqx.is_inexact_array))
    ema_moves, moves = [], []
    for key in jax.random.split(jax.random.key(1), cfg.steps):
        x = jax.random.normal(key, (cfg.batch, 2))
        old_ema, old = ema.model.layers[0].weight, model.layers[0].weight
        model, ema, opt_state, _ = train_step(
            model, ema, opt_state, tx, x, x[:, 0] * x[:, 1]
        )
        ema_moves.append(float(jnp.abs(ema.model.layers[0].weight - old_ema).mean()))
        moves.append(float(jnp.abs(model.layers[0].weight - old).mean()))
    ratio = sum(ema_moves[20:]) / sum(moves[20:])
    print(f"mean step of the average / mean step of the model: {ratio:.3f}")


if __name__ == "__main__":
    main()
