"""Segmentation head on frozen features, gradients accumulated over minibatches (nnx)."""
import argparse
import logging

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

log = logging.getLogger(__name__)


class MaskHead(nnx.Module):
    def __init__(self, dim, hidden, rngs):
        self.up = nnx.Linear(dim, hidden, rngs=rngs)
        self.out = nnx.Linear(hidden, 1, rngs=rngs)

    def __call__(self, feats):
        return self.out(nnx.gelu(self.up(feats)))[..., 0]


@nnx.jit
def accumulate(head, grads, feats, masks):
    def loss_fn(head):
        logits = head(feats)
        dice = 1 - 2 * (jax.nn.sigmoid(logits) * masks).sum() / (masks.sum() + logits.size / 2)
        return optax.sigmoid_binary_cross_entropy(logits, masks).mean() + dice, dice

    (loss, dice), g = nnx.value_and_grad(loss_fn, has_aux=True)(head)
    return loss, dice, jax.tree.map(jnp.add, grads, g)


@nnx.jit
def apply_grads(head, optimizer, grads, scale):
    optimizer.update(head, jax.tree.map(lambda g: g * scale, grads))


def train(head, optimizer, minibatches, accum_steps):
    zeros = jax.tree.map(jnp.zeros_like, nnx.state(head, nnx.Param))
    grads, total, history = zeros, jnp.float32(0.0), []
    for i, (feats, masks) in enumerate(minibatches, start=1):
        loss, dice, grads = accumulate(head, grads, feats, masks)
        log.debug("minibatch %d: loss %s dice %s", i, loss, dice)
        total = total + loss
        if i % accum_steps == 0:
            apply_grads(head, optimizer, grads, np.float32(1 / accum_steps))
            history.append(total / accum_steps)
            grads, total = zeros, jnp.float32(0.0)
    return [float(h) for h in history]


def synthetic(n, rng, batch=16, points=32, dim=8):
    for _ in range(n):
        feats = rng.normal(size=(batch, points, dim)).astype(np.float32)
        yield feats, (feats[..., 0] > 0).astype(np.float32)


def main(args):
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.INFO)
    head = MaskHead(8, 16, nnx.Rngs(0))
    optimizer = nnx.Optimizer(head, optax.adam(1e-2), wrt=nnx.Param)
    history = train(head, optimizer, synthetic(40, np.random.default_rng(0)), accum_steps=4)
    print("first", history[0], "last", history[-1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--verbose", action="store_true")
    main(parser.parse_args())
