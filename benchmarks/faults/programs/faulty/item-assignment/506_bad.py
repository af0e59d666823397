"""Tomographic reconstruction with a phantom builder and accelerated gradient steps."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class Geometry:
    size: int = 24
    angles: int = 16


def phantom(geom):
    t = jnp.linspace(-1.0, 1.0, geom.size)
    xx, yy = jnp.meshgrid(t, t)
    base = ((xx**2 + yy**2) < 0.6).astype(jnp.float32)
    image = base.copy()
    image[8:12, 6:14] = 2.0
    image[14:17, 10:13] = 0.0
    return image


def rotate(image, theta):
    n = image.shape[0]
    c = (n - 1) / 2.0
    i, j = jnp.meshgrid(jnp.arange(n) - c, jnp.arange(n) - c, indexing="ij")
    coords = jnp.stack([
        jnp.cos(theta) * i - jnp.sin(theta) * j + c,
        jnp.sin(theta) * i + jnp.cos(theta) * j + c,
    ])
    return jax.scipy.ndimage.map_coordinates(image, coords, order=1)


class Radon:
    def __init__(self, geom):
        self.theta = jnp.linspace(0.0, jnp.pi, geom.angles, endpoint=False)

    def __call__(self, image):
        return jax.vmap(lambda t: rotate(image, t).sum(axis=0))(self.theta)


class AcceleratedPGM:
    def __init__(self, op, y, step):
        self.f = lambda x: 0.5 * jnp.sum((op(x) - y) ** 2)
        self.step_size = step
        self._step = jax.jit(self._advance)

    def _advance(self, x, v, t):
        x_new = jnp.maximum(v - self.step_size * jax.grad(self.f)(v), 0.0)
        t_new = 0.5 * (1.0 + jnp.sqrt(1.0 + 4.0 * t**2))
        return x_new, x_new + (t - 1.0) / t_new * (x_new - x), t_new

    def solve(self, x0, iters):
        x, v, t = x0, x0, jnp.ones(())
        for _ in range(iters):
            x, v, t = self._step(x, v, t)
        return x


if __name__ == "__main__":
    geom = Geometry()
    truth, op = phantom(geom), Radon(geom)
    y = op(truth)
    x = AcceleratedPGM(op, y, 2e-3).solve(jnp.zeros_like(truth), 60)
    print("relative error", float(jnp.linalg.norm(x - truth) / jnp.linalg.norm(truth)))
