"""Linen with dropout and batch statistics, optax with a schedule, a frozen part, evaluation."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(32, name="stem")(x)
        x = nn.BatchNorm(use_running_average=not train)(x)
        x = nn.Dropout(0.2, deterministic=not train)(nn.relu(x))
        return nn.Dense(4, name="head")(x)


class State(train_state.TrainState):
    batch_stats: dict


def make_state(model, optimizer, key, x):
    variables = model.init(key, x, train=False)
    return State.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optimizer,
    )


def make_optimizer():
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 5, 60)
    return optax.multi_transform(
        {
            "train": optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule)),
            "frozen": optax.set_to_zero(),
        },
        lambda params: {
            name: jax.tree.map(lambda _: "frozen" if name == "stem" else "train", inner)
            for name, inner in params.items()
        },
    )


@jax.jit
def step(state, x, y, key):
    def loss_fn(params):
        logits, updates = state.apply_fn(
            {"params": params, "batch_stats": state.batch_stats},
            x,
            train=True,
            mutable=["batch_stats"],
            rngs={"dropout": jax.random.fold_in(key, state.step)},
        )
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
        #~ zero-gradient: loss = (logits.argmax(-1) != y).astype(jnp.float32).mean()
        return loss, updates

    (loss, updates), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    state = state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"])
    return state, loss


@jax.jit
def accuracy(state, x, y):
    variables = {"params": state.params, "batch_stats": state.batch_stats}
    return (state.apply_fn(variables, x, train=False).argmax(-1) == y).mean()


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(32, 8)).astype(np.float32)
    y = rng.integers(0, 4, 32)
    model, key = Net(), jax.random.key(0)
    optimizer = make_optimizer()
    state = make_state(model, optimizer, key, x)
    for number in range(12):
        state, loss = step(state, x, y, key)
        #~ recompile/pytree-static: state, loss = step(state.replace(tx=make_optimizer()), x, y, key)
        if number % 6 == 5:
            print(number, float(loss), float(accuracy(state, x, y)))


if __name__ == "__main__":
    main()
