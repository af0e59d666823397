import jax
import jax.numpy as jnp
import numpy as np
from jax import random


def rotate_90(img):
    return jnp.rot90(img, k=1, axes=(0, 1))


def flip_lr(img):
    return jnp.flip(img, axis=1)


@jax.jit
def augment_one(img, rotate, flip):
    img = jax.lax.cond(rotate, rotate_90, lambda x: x, img)
    return jax.lax.cond(flip, flip_lr, lambda x: x, img)


augment_batch = jax.jit(jax.vmap(augment_one))


class Augmenter:
    def __init__(self, seed, batch_size):
        self.key = random.PRNGKey(seed)
        self.batch_size = batch_size

    def __call__(self, images):
        self.key, subkey = random.split(self.key)
        rotate = random.randint(self.key, shape=[self.batch_size], minval=0, maxval=2)
        flip = random.randint(self.key, shape=[self.batch_size], minval=0, maxval=2)
        return augment_batch(images, rotate, flip), rotate, flip


def epoch(augmenter, images, batch_size):
    agree, total = 0, 0
    for start in range(0, len(images), batch_size):
        _, rot, flip = augmenter(images[start : start + batch_size])
        agree += int(jnp.sum(rot == flip))
        total += batch_size
    return agree / total


if __name__ == "__main__":
    data = np.random.default_rng(0).random((128, 8, 8, 1)).astype(np.float32)
    aug = Augmenter(0, 32)
    for e in range(2):
        print(f"epoch {e}: share of images with rotate == flip {epoch(aug, data, 32):.2f}")
