"""Masked auto-encoding of video patches with nnx."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


def patchify(videos, size):
    b, t, h, w = videos.shape
    x = videos.reshape(b, t, h // size, size, w // size, size)
    return x.transpose(0, 1, 2, 4, 3, 5).reshape(b, t, -1, size * size)


class MaskedTokenizer(nnx.Module):
    def __init__(self, patch_size, dim, rngs):
        self.patch_size = patch_size
        self.mask_token = nnx.Param(jnp.zeros(dim))
        self.embed = nnx.Linear(patch_size**2, dim, rngs=rngs)
        self.encoder = nnx.Linear(dim, dim, rngs=rngs)
        self.decoder = nnx.Linear(dim, patch_size**2, rngs=rngs)

    def mask_and_encode(self, videos, rng, training=True):
        patches = patchify(videos, self.patch_size)
        x = self.embed(patches)
        mask = jnp.zeros(patches.shape[:3], bool)
        if training:
            rng_prob, rng_mask = jax.random.split(jax.random.key(0), 2)
            prob = jax.random.uniform(rng_prob, (patches.shape[0],), minval=0.3, maxval=0.9)
            mask = jax.random.bernoulli(rng_mask, prob[:, None, None], patches.shape[:3])
            x = jnp.where(mask[..., None], self.mask_token[...], x)
        return nnx.gelu(self.encoder(x)), patches, mask

    def __call__(self, videos, rng, training=True):
        z, patches, mask = self.mask_and_encode(videos, rng, training)
        return self.decoder(z.mean(axis=2, keepdims=True) + z), patches, mask


@nnx.jit
def train_step(model, optimizer, videos, rng):
    def loss_fn(model):
        recon, patches, mask = model(videos, rng)
        err = jnp.mean((recon - patches) ** 2, axis=-1)
        return jnp.sum(err * mask) / jnp.maximum(mask.sum(), 1), mask

    (loss, mask), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
    optimizer.update(model, grads)
    return loss, mask


def main(steps=12):
    data_rng = np.random.default_rng(0)
    model = MaskedTokenizer(4, 16, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    rng, seen = jax.random.key(1), []
    for _ in range(steps):
        rng, step_rng = jax.random.split(rng)
        videos = data_rng.normal(size=(4, 2, 8, 8)).astype(np.float32)
        loss, mask = train_step(model, optimizer, videos, step_rng)
        seen.append(mask)
    masked = np.stack(jax.device_get(seen))
    print("loss", float(loss), "patch positions never masked", int((~masked.any(0)).sum()))


if __name__ == "__main__":
    main()
