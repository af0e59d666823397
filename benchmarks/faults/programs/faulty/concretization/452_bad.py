"""Linen decoder of galaxy images with a configurable upsampling pyramid."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Decoder(nn.Module):
    base: int = 4
    channels: int = 8
    stages: int = 3

    @nn.compact
    def __call__(self, z):
        widths = jnp.maximum(self.channels // 2 ** jnp.arange(self.stages), 2)
        x = nn.Dense(self.base * self.base * self.channels)(z)
        x = nn.leaky_relu(x).reshape(z.shape[0], self.base, self.base, self.channels)
        for i in range(self.stages):
            b, h, w, c = x.shape
            x = jax.image.resize(x, (b, 2 * h, 2 * w, c), "nearest")
            x = nn.leaky_relu(nn.Conv(int(widths[i]), (3, 3))(x))
        return nn.softplus(nn.Conv(1, (3, 3))(x))[..., 0]


class Encoder(nn.Module):
    latent: int = 4

    @nn.compact
    def __call__(self, x):
        h = nn.leaky_relu(nn.Conv(8, (3, 3), strides=(4, 4))(x[..., None]))
        mean, log_std = jnp.split(nn.Dense(2 * self.latent)(h.reshape(len(x), -1)), 2, axis=-1)
        return mean, log_std


class VAE(nn.Module):
    @nn.compact
    def __call__(self, x, key):
        mean, log_std = Encoder()(x)
        z = mean + jnp.exp(log_std) * jax.random.normal(key, mean.shape)
        kl = 0.5 * jnp.sum(mean**2 + jnp.exp(2 * log_std) - 2 * log_std - 1, axis=-1)
        return Decoder()(z), kl


def galaxies(n, rng, size=32):
    ax = np.linspace(-1, 1, size)
    r2 = ax[:, None] ** 2 + ax[None] ** 2
    width = rng.uniform(0.1, 0.4, (n, 1, 1))
    return np.exp(-r2 / width**2).astype(np.float32)


def train(steps=3, batch=4):
    rng, model, tx = np.random.default_rng(0), VAE(), optax.adam(1e-3)
    x = galaxies(batch, rng)
    params = jax.jit(model.init)(jax.random.key(0), x, jax.random.key(1))
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, x, key):
        def loss_fn(p):
            recon, kl = model.apply(p, x, key)
            return jnp.mean(jnp.sum((recon - x) ** 2, axis=(1, 2)) + kl)

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    for key in jax.random.split(jax.random.key(2), steps):
        params, opt_state, loss = update(params, opt_state, galaxies(batch, rng), key)
    return float(loss)


if __name__ == "__main__":
    print("loss", train())
