"""Coordinate network fitted to an image, NeRF style, with the usual train-step prints."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState


def positional_encoding(x, num_freqs):
    freqs = 2.0 ** jnp.arange(num_freqs) * jnp.pi
    angles = (x[..., None, :] * freqs[:, None]).reshape(*x.shape[:-1], -1)
    return jnp.concatenate([x, jnp.sin(angles), jnp.cos(angles)], axis=-1)


class CoordNet(nn.Module):
    width: int = 32
    depth: int = 2
    num_freqs: int = 4

    @nn.compact
    def __call__(self, xy):
        h = positional_encoding(xy, self.num_freqs)
        for _ in range(self.depth):
            h = nn.relu(nn.Dense(self.width)(h))
        return nn.sigmoid(nn.Dense(3)(h))


def render_loss(params, apply_fn, batch):
    rgb = apply_fn({"params": params}, batch["xy"])
    mse = jnp.mean((rgb - batch["rgb"]) ** 2)
    return mse, {"mse": mse, "psnr": -10.0 * jnp.log10(mse)}


@jax.jit
def train_step(state, batch):
    grad_fn = jax.value_and_grad(render_loss, has_aux=True)
    (loss, stats), grads = grad_fn(state.params, state.apply_fn, batch)
    print(f"step {state.step}: loss {loss} psnr {stats['psnr']} |g| {optax.global_norm(grads)}")
    return state.apply_gradients(grads=grads), stats


def pixel_batches(image, batch_size, steps, seed):
    rng = np.random.default_rng(seed)
    h, w, _ = image.shape
    for _ in range(steps):
        i, j = rng.integers(0, h, batch_size), rng.integers(0, w, batch_size)
        xy = np.stack([i / h, j / w], -1).astype(np.float32)
        yield {"xy": xy, "rgb": image[i, j]}


def main():
    ax = np.linspace(0, 1, 24, dtype=np.float32)
    image = np.stack(np.broadcast_arrays(ax[:, None], ax[None], np.float32(0.5)), -1)
    model = CoordNet()
    params = model.init(jax.random.key(0), jnp.zeros((1, 2)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(5e-3))
    for batch in pixel_batches(image, 128, 6, seed=1):
        state, stats = train_step(state, batch)
    print("final psnr", float(stats["psnr"]))


if __name__ == "__main__":
    main()
