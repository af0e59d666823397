"""Spectral-energy-distribution integrals that need double precision."""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

LGWAVE = jnp.linspace(2.0, 5.0, 4001)
C_ANGSTROM = jnp.asarray(2.99792458e18)


def blackbody(wave, temperature):
    x = 1.43877e8 / (wave * temperature)
    return 1.0 / (wave**5 * jnp.expm1(jnp.clip(x, 1e-8, 80.0))) * 1e17


def transmission(wave, center, width):
    return jnp.exp(-0.5 * ((wave - center) / width) ** 2)


@jax.jit
def ab_magnitude(temperature, redshift, center, width):
    wave = 10.0**LGWAVE
    flux = blackbody(wave / (1 + redshift), temperature)
    trans = transmission(wave, center, width)
    num = jnp.trapezoid(flux * trans * wave, wave)
    den = jnp.trapezoid(trans * C_ANGSTROM / wave, wave)
    return -2.5 * jnp.log10(num / den)


def color_gradient(temperature, redshift):
    def color(z):
        return (ab_magnitude(temperature, z, 4770.0, 600.0)
                - ab_magnitude(temperature, z, 6231.0, 700.0))
    return jax.grad(color)(redshift)


def finite_difference(temperature, redshift, eps=1e-6):
    def color(z):
        return (ab_magnitude(temperature, z, 4770.0, 600.0)
                - ab_magnitude(temperature, z, 6231.0, 700.0))
    return (color(redshift + eps) - color(redshift - eps)) / (2 * eps)


def main():
    z = np.float64(0.3)
    print("grid dtype", LGWAVE.dtype)
    grid = np.asarray(LGWAVE, np.float64)
    print("grid error", np.abs(grid - np.linspace(2.0, 5.0, 4001)).max())
    print("gradient", float(color_gradient(5800.0, z)),
          "difference", float(finite_difference(5800.0, z)))


if __name__ == "__main__":
    main()
