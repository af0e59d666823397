"""Text classification fine-tuning: data-parallel train and eval steps over epochs."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, ids):
        x = nn.Embed(100, 16)(ids).mean(axis=1)
        return nn.Dense(2)(nn.relu(nn.Dense(16)(x)))


def create_state(key):
    model = Classifier()
    params = model.init(key, jnp.zeros((1, 8), jnp.int32))["params"]
    return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(2e-3))


def loader(seed, n_batches, batch_size=16):
    rng = np.random.default_rng(seed)
    for _ in range(n_batches):
        ids = rng.integers(1, 100, (batch_size, 8))
        yield {"input_ids": ids, "labels": (ids.mean(-1) > 50).astype(np.int32)}


@partial(jax.jit, donate_argnums=(0,))
def train_step(state, batch):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, batch["input_ids"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["labels"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


@partial(jax.jit, donate_argnums=(0,))
def eval_step(state, batch):
    logits = state.apply_fn({"params": state.params}, batch["input_ids"])
    return state.step, logits.argmax(-1)


def evaluate(state, batches):
    hits, total = 0, 0
    for batch in batches:
        _, predictions = eval_step(state, batch)
        hits += int(np.sum(np.asarray(predictions) == batch["labels"]))
        total += len(batch["labels"])
    return hits / total


def main(num_epochs=2):
    state = create_state(jax.random.key(0))
    for epoch in range(num_epochs):
        for batch in loader(epoch, 40):
            state, loss = train_step(state, batch)
        accuracy = evaluate(state, loader(1000, 8))
        print(f"epoch {epoch} loss {float(loss):.3f} accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
