"""Phase retrieval: scan the defocus of a telescope model and keep the best fit."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def pupil(n):
    ax = np.linspace(-1, 1, n)
    x, y = np.meshgrid(ax, ax)
    r2 = x**2 + y**2
    return (r2 < 1).astype(np.float32), (2 * r2 - 1).astype(np.float32)


def zernike_basis(n, num):
    ax = np.linspace(-1, 1, n)
    x, y = np.meshgrid(ax, ax)
    modes = [x, y, x * y, x**2 - y**2, x**3 - 3 * x * y**2]
    return np.stack(modes[:num]).astype(np.float32)


def propagate(aperture, opd, wavelength):
    field = aperture * jnp.exp(2j * jnp.pi * opd / wavelength)
    psf = jnp.abs(jnp.fft.fftshift(jnp.fft.fft2(field))) ** 2
    return psf / psf.sum()


@partial(jax.jit, static_argnames=("wavelength", "defocus", "npix"))
def model_psf(coeffs, basis, wavelength, defocus, npix):
    aperture, focus_mode = pupil(npix)
    opd = jnp.tensordot(coeffs, basis, axes=1) + defocus * focus_mode
    return propagate(aperture, opd, wavelength)


def residual(coeffs, basis, data, wavelength, defocus, npix):
    return jnp.sum((model_psf(coeffs, basis, wavelength, defocus, npix) - data) ** 2)


def scan_defocus(data, basis, wavelength, npix, values):
    coeffs = jnp.zeros(basis.shape[0])
    errors = [residual(coeffs, basis, data, wavelength, float(d), npix) for d in values]
    errors = np.asarray(jnp.stack(errors))
    best = int(errors.argmin())
    return errors[best], values[best]


def main():
    npix, wavelength = 32, 0.6
    basis = zernike_basis(npix, 4)
    truth = model_psf(jnp.zeros(4), basis, wavelength, 0.21, npix)
    values = np.linspace(0.0, 0.4, 17)
    err, defocus = scan_defocus(truth, basis, wavelength, npix, values)
    print("best defocus", defocus, "error", err)


if __name__ == "__main__":
    main()
