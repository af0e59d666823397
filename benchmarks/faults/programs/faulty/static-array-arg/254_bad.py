"""Propagate a pupil to a detector whose size follows from the optics."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, static_argnums=(1,))
def matrix_dft(plane, npix, nlamd):
    n = plane.shape[0]
    du = nlamd / (n * npix)
    xs = jnp.arange(n) - (n - 1) / 2
    us = (jnp.arange(npix) - (npix - 1) / 2) * du * n / npix
    kernel = jnp.exp(-2j * jnp.pi * jnp.outer(us, xs) / n * npix)
    return kernel @ plane @ kernel.T / n


def circular_aperture(n, diameter=0.9):
    axis = np.linspace(-1, 1, n)
    r = np.hypot(*np.meshgrid(axis, axis))
    return (r < diameter).astype(np.float32)


class Detector:
    def __init__(self, field_of_view, pixel_scale):
        self.field_of_view = field_of_view
        self.pixel_scale = pixel_scale

    def npixels(self):
        half = jnp.ceil(self.field_of_view / self.pixel_scale / 2)
        return (2 * half).astype(jnp.int32)


class OpticalSystem:
    def __init__(self, n=64, nlamd=16.0):
        self.aperture = circular_aperture(n)
        self.nlamd = nlamd

    def psf(self, aberration, detector):
        field = self.aperture * jnp.exp(1j * aberration)
        image = matrix_dft(field, detector.npixels(), self.nlamd)
        intensity = jnp.abs(image) ** 2
        return intensity / intensity.sum()


def encircled_energy(psf, radius):
    n = psf.shape[0]
    axis = np.arange(n) - (n - 1) / 2
    mask = np.hypot(*np.meshgrid(axis, axis)) < radius
    return float(jnp.sum(psf * mask))


def main():
    system, detector = OpticalSystem(), Detector(field_of_view=4.0, pixel_scale=0.1)
    tilt = jnp.linspace(-1, 1, 64)[None] * jnp.ones((64, 1))
    for amount in (0.0, 0.5, 1.0):
        psf = system.psf(amount * tilt, detector)
        print(amount, psf.shape, round(encircled_energy(psf, 6), 4))


if __name__ == "__main__":
    main()
