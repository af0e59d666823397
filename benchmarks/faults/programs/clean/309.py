"""Masked-patch pretraining: fresh masks for training, one fixed mask for validation."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

VALIDATION_SEED = 0


class Reconstructor(nnx.Module):
    def __init__(self, dim, hidden, rngs):
        self.mask_token = nnx.Param(jnp.zeros(dim))
        self.enc = nnx.Linear(dim, hidden, rngs=rngs)
        self.dec = nnx.Linear(hidden, dim, rngs=rngs)

    def __call__(self, patches, mask):
        x = jnp.where(mask[..., None], self.mask_token[...], patches)
        h = nnx.gelu(self.enc(x))
        return self.dec(h + h.mean(axis=1, keepdims=True))


def masked_loss(model, patches, key, ratio=0.5):
    mask = jax.random.bernoulli(key, ratio, patches.shape[:2])
    err = jnp.mean((model(patches, mask) - patches) ** 2, axis=-1)
    return jnp.sum(err * mask) / jnp.maximum(mask.sum(), 1)


@nnx.jit
def train_step(model, optimizer, patches, key):
    loss, grads = nnx.value_and_grad(masked_loss)(model, patches, key)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def validation_loss(model, patches):
    """The same mask at every call, so that the curve shows only the model."""
    key = jax.random.key(VALIDATION_SEED)
    return masked_loss(model, patches, key)


def patches_of(n, rng, points=8, dim=6):
    base = rng.normal(size=(n, 1, dim))
    return (base + 0.2 * rng.normal(size=(n, points, dim))).astype(np.float32)


def main(steps=60, eval_every=20):
    rng = np.random.default_rng(0)
    model = Reconstructor(6, 32, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(5e-3), wrt=nnx.Param)
    held_out = patches_of(64, rng)
    key = jax.random.key(1)
    for step in range(1, steps + 1):
        key, sub = jax.random.split(key)
        train_step(model, optimizer, patches_of(32, rng), sub)
        if step % eval_every == 0:
            print("step", step, "validation", float(validation_loss(model, held_out)))


if __name__ == "__main__":
    main()
