"""Forward-model fit of a sky scene observed at many epochs."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Source(eqx.Module):
    flux: jax.Array
    center: jax.Array
    radius: jax.Array

    def render(self, grid):
        r2 = jnp.sum((grid - self.center) ** 2, axis=-1)
        return self.flux * jnp.exp(-0.5 * r2 / self.radius**2)


class Scene(eqx.Module):
    sources: list
    epoch: int = 0

    def __call__(self, grid):
        image = sum(s.render(grid) for s in self.sources)
        return image * (1.0 + 0.01 * self.epoch)


def make_grid(size):
    ax = np.linspace(-1, 1, size, dtype=np.float32)
    return np.stack(np.meshgrid(ax, ax, indexing="ij"), -1)


def neg_log_like(scene, grid, image, weight):
    return 0.5 * jnp.sum(weight * (scene(grid) - image) ** 2)


optim = optax.adam(1e-2)


@eqx.filter_jit
def make_step(scene, opt_state, grid, image, weight):
    loss, grads = eqx.filter_value_and_grad(neg_log_like)(scene, grid, image, weight)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(scene, updates), opt_state, loss


def fit(scene, grid, images, weight, steps_per_epoch=2):
    opt_state = optim.init(eqx.filter(scene, eqx.is_inexact_array))
    for i, image in enumerate(images):
        scene = eqx.tree_at(lambda s: s.epoch, scene, i)
        for _ in range(steps_per_epoch):
            scene, opt_state, loss = make_step(scene, opt_state, grid, image, weight)
    return scene, loss


if __name__ == "__main__":
    grid = make_grid(16)
    rng = np.random.default_rng(0)
    images = rng.normal(size=(8, 16, 16)).astype(np.float32)
    srcs = [Source(jnp.float32(1.0 + k), jnp.zeros(2), jnp.float32(0.3)) for k in range(2)]
    scene, loss = fit(Scene(srcs), grid, images, np.ones((16, 16), np.float32))
    print("loss", float(loss), "flux", [float(s.flux) for s in scene.sources])
