from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class State(train_state.TrainState):
    batch_stats: Any = None


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(16)(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.Dropout(0.2, deterministic=not train)(nn.relu(x))
        return nn.Dense(3)(x)


@jax.jit
def train_step(state, x, y, key):
    def loss_fn(params):
        logits, upd = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            x,
            train=True,
            mutable=["batch_stats"],
            rngs={"dropout": key},
        )
        ce = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
        return ce, (upd["batch_stats"], jnp.argmax(logits, -1))

    (loss, (stats, pred)), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads, batch_stats=stats)
    return state, {"loss": loss, "accuracy": jnp.mean(pred == y)}


@jax.jit
def eval_step(state, x):
    variables = {"params": state.params, "batch_stats": state.batch_stats}
    return state.apply_fn(variables, x, train=False)


def main():
    model = Net()
    x = jax.random.normal(jax.random.key(0), (48, 5))
    y = x[:, :3].argmax(-1)
    variables = model.init(jax.random.key(1), x, train=False)
    state = State.create(apply_fn=model.apply, tx=optax.adam(1e-2), **variables)
    for key in jax.random.split(jax.random.key(2), 20):
        state, metrics = train_step(state, x, y, key)
    print({k: float(v) for k, v in metrics.items()}, eval_step(state, x).shape)


if __name__ == "__main__":
    main()
