from typing import NamedTuple

import jax
import jax.numpy as jnp


class Phase(NamedTuple):
    zernike: jax.Array
    piston: jax.Array


def pupil_basis(n, modes):
    y, x = jnp.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
    polys = [x, y, x * y, x**2 - y**2, 2 * (x**2 + y**2) - 1]
    mask = (x**2 + y**2) <= 1.0
    return jnp.stack([p * mask for p in polys[:modes]]), mask


def wavefront(phase, basis, mask):
    opd = jnp.tensordot(phase.zernike, basis, axes=1) + phase.piston
    return mask * jnp.exp(1j * opd)


def psf(phase, basis, mask):
    field = jnp.fft.fftshift(jnp.fft.fft2(wavefront(phase, basis, mask)))
    intensity = jnp.abs(field) ** 2
    return intensity / intensity.sum()


def cost(phase, data, basis, mask, weight=1e-2):
    misfit = jnp.sum((psf(phase, basis, mask) - data) ** 2) * 1e2
    regularisation = weight * jnp.sum(phase.zernike**2)
    return misfit + regularisation


def retrieve(data, basis, mask, iters=15, lr=0.02):
    phase = Phase(jnp.zeros(basis.shape[0]), jnp.zeros(()))
    step = jax.jit(jax.value_and_grad(cost))
    values = []
    for _ in range(iters):
        value, g = step(phase, data, basis, mask)
        phase = jax.tree.map(lambda p, d: p - lr * d, phase, g)
        values.append(float(value))
    return phase, values


def main():
    basis, mask = pupil_basis(24, 5)
    truth = Phase(jnp.array([0.2, -0.1, 0.3, 0.1, 0.4]), jnp.zeros(()))
    data = psf(truth, basis, mask)
    phase, values = retrieve(data, basis, mask)
    print("cost first", values[0], "last", values[-1])
    print("coefficients", phase.zernike)


if __name__ == "__main__":
    main()
