"""Optical apertures in equinox: flags that select code are static, numbers are leaves."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Aperture(eqx.Module):
    radius: jax.Array
    centre: jax.Array
    softening: jax.Array
    occulting: bool = eqx.field(static=True)

    def __init__(self, radius, centre=(0.0, 0.0), softening=0.05, occulting=False):
        self.radius = jnp.asarray(radius, jnp.float32)
        self.centre = jnp.asarray(centre, jnp.float32)
        self.softening = jnp.asarray(softening, jnp.float32)
        self.occulting = occulting

    def transmission(self, coords):
        r = jnp.sqrt(jnp.sum((coords - self.centre) ** 2, axis=-1) + 1e-12)
        soft = jax.nn.sigmoid((self.radius - r) / self.softening)
        return 1.0 - soft if self.occulting else soft


class Telescope(eqx.Module):
    primary: Aperture
    secondary: Aperture
    npix: int = eqx.field(static=True)

    def __call__(self, coords):
        field = self.primary.transmission(coords) * self.secondary.transmission(coords)
        psf = jnp.abs(jnp.fft.fftshift(jnp.fft.fft2(field, s=(self.npix, self.npix)))) ** 2
        return psf / psf.sum()


def coordinates(n):
    ax = np.linspace(-1.2, 1.2, n, dtype=np.float32)
    return np.stack(np.meshgrid(ax, ax), axis=-1)


optim = optax.adam(1e-2)


@eqx.filter_jit
def fit_step(model, opt_state, coords, data):
    def loss_fn(m):
        return 1e3 * jnp.sum((m(coords) - data) ** 2)

    loss, grads = eqx.filter_value_and_grad(loss_fn)(model)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


def main(steps=30):
    coords = coordinates(24)
    truth = Telescope(Aperture(1.0), Aperture(0.3, occulting=True), 32)
    model = Telescope(Aperture(0.9), Aperture(0.2, occulting=True), 32)
    data = truth(coords)
    opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
    for _ in range(steps):
        model, opt_state, loss = fit_step(model, opt_state, coords, data)
    print("loss", float(loss), "radii", float(model.primary.radius), float(model.secondary.radius))


if __name__ == "__main__":
    main()
