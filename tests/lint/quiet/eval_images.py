"""A script that measures: each image with the same key."""

import jax


def render(image, rng):
    return image + jax.random.normal(rng, image.shape)


def measure(images, rng, meter):
    for image in images:
        meter.update(render(image, rng=rng))
    return meter


def run(images, meter):
    return measure(images, jax.random.key(0), meter)
