"""Fit many survey cutouts with the same equinox scene model."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Galaxy(eqx.Module):
    log_flux: jax.Array
    log_size: jax.Array
    shift: jax.Array

    def __call__(self, grid):
        r2 = jnp.sum((grid - self.shift) ** 2, axis=-1)
        size = jnp.exp(self.log_size)
        return jnp.exp(self.log_flux) * jnp.exp(-0.5 * r2 / size**2) / size**2


class Observation(eqx.Module):
    image: jax.Array
    weight: jax.Array
    psf: jax.Array

    def convolve(self, model):
        return jnp.real(jnp.fft.ifft2(jnp.fft.fft2(model) * jnp.fft.fft2(self.psf)))

    def log_likelihood(self, model):
        return -0.5 * jnp.sum(self.weight * (self.convolve(model) - self.image) ** 2)


def make_grid(n):
    ax = np.linspace(-1, 1, n, dtype=np.float32)
    return np.stack(np.meshgrid(ax, ax, indexing="ij"), axis=-1)


@eqx.filter_jit
def make_step(source, opt_state, grid, obs, lr):
    def loss_fn(s):
        return -obs.log_likelihood(s(grid))

    loss, grads = eqx.filter_value_and_grad(loss_fn)(source)
    updates, opt_state = optax.adam(lr).update(grads, opt_state)
    return eqx.apply_updates(source, updates), opt_state, loss


class Scene:
    def __init__(self, source, grid):
        self.source, self.grid = source, grid

    def fit(self, obs, max_iter=10, lr=0.05):
        opt_state = optax.adam(lr).init(self.source)
        source = self.source
        for _ in range(max_iter):
            source, opt_state, loss = make_step(source, opt_state, self.grid, obs, lr)
        return source, float(loss)


def cutout(grid, rng):
    psf = np.zeros(grid.shape[:2], np.float32)
    psf[0, 0] = 1.0
    image = np.exp(-8 * np.sum(grid**2, axis=-1)) + 0.05 * rng.normal(size=grid.shape[:2])
    return Observation(image.astype(np.float32), np.full_like(psf, 100.0), psf)


if __name__ == "__main__":
    rng, grid = np.random.default_rng(0), make_grid(20)
    start = Galaxy(jnp.zeros(()), jnp.zeros(()) - 1.0, jnp.zeros(2))
    losses = [Scene(start, grid).fit(cutout(grid, rng))[1] for _ in range(5)]
    print("mean loss", np.mean(losses))
