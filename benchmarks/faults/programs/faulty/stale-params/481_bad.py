"""Small convolutional classifier with batch norm; train and eval steps (linen)."""
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Conv(8, (3, 3))(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.8)(x)
        x = nn.relu(x).mean(axis=(1, 2))
        return nn.Dense(4)(x)


class TrainState(train_state.TrainState):
    batch_stats: Any


cnn = CNN()
variables = cnn.init(jax.random.key(42), jnp.ones((1, 8, 8, 1)), train=False)
params, batch_stats = variables["params"], variables["batch_stats"]
state = TrainState.create(
    apply_fn=cnn.apply, params=params, batch_stats=batch_stats, tx=optax.adam(2e-2)
)


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        logits, updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            batch["image"], train=True, mutable=["batch_stats"],
        )
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
        return loss, (logits, updates)

    (loss, (logits, updates)), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"])
    return state, {"loss": loss, "accuracy": jnp.mean(logits.argmax(-1) == batch["label"])}


@jax.jit
def eval_step(state, batch):
    logits = state.apply_fn(
        {"params": params, "batch_stats": state.batch_stats}, batch["image"], train=False
    )
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
    return {"loss": loss, "accuracy": jnp.mean(logits.argmax(-1) == batch["label"])}


def make_batch(key, n=64):
    k1, k2 = jax.random.split(key)
    label = jax.random.randint(k1, (n,), 0, 4)
    image = 0.3 * jax.random.normal(k2, (n, 8, 8, 1)) + label[:, None, None, None] / 2.0
    return {"image": image, "label": label}


def main(state, steps=120):
    for i in range(steps):
        state, train_metrics = train_step(state, make_batch(jax.random.key(i)))
    test_metrics = eval_step(state, make_batch(jax.random.key(10_000)))
    for name, m in (("train", train_metrics), ("test", test_metrics)):
        print(name, {k: round(float(v), 3) for k, v in m.items()})


if __name__ == "__main__":
    main(state)
