"""Image classification with linen and a plain numpy loader."""
import argparse
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training import train_state


class ConvNet(nn.Module):
    classes: int

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(8, (3, 3), strides=(2, 2))(x))
        x = nn.relu(nn.Conv(16, (3, 3), strides=(2, 2))(x))
        return nn.Dense(self.classes)(x.reshape((x.shape[0], -1)))


def load_split(n, classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n).astype(np.int32)
    images = rng.normal(size=(n, 14, 14, 1)).astype(np.float32)
    images[np.arange(n), labels] += 2.0
    return images, labels


def loader(images, labels, batch_size, rng=None):
    order = np.arange(len(images)) if rng is None else rng.permutation(len(images))
    for start in range(0, len(order) - batch_size + 1, batch_size):
        pick = order[start:start + batch_size]
        yield images[pick], labels[pick]


@jax.jit
def train_step(state, images, labels):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def create_state(args, classes=4):
    model = ConvNet(classes)
    params = model.init(jax.random.key(args.seed), jnp.zeros((1, 14, 14, 1)))["params"]
    return train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.sgd(args.lr, momentum=0.9))


def main(args):
    rng = np.random.default_rng(args.seed)
    images, labels = load_split(500, 4, args.seed)
    state = create_state(args)
    batches = functools.partial(loader, images, labels, args.batch_size)
    for epoch in range(args.epochs):
        losses = []
        for x, y in batches(rng):
            state, loss = train_step(state, x, y)
            losses.append(loss)
        print("epoch", epoch, "loss", np.mean(jax.device_get(losses)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args())
