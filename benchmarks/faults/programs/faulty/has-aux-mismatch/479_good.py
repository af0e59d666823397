"""Variational autoencoder on small binary images (linen + optax)."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state

LATENTS = 4


class VAE(nn.Module):
    features: int = 64

    def setup(self):
        self.enc = nn.Dense(32)
        self.mu = nn.Dense(LATENTS)
        self.lv = nn.Dense(LATENTS)
        self.dec1 = nn.Dense(32)
        self.dec2 = nn.Dense(self.features)

    def encode(self, x):
        h = nn.relu(self.enc(x))
        return self.mu(h), self.lv(h)

    def decode(self, z):
        return self.dec2(nn.relu(self.dec1(z)))

    def __call__(self, x, key):
        mean, logvar = self.encode(x)
        z = mean + jnp.exp(0.5 * logvar) * jax.random.normal(key, mean.shape)
        return self.decode(z), mean, logvar


def kl_divergence(mean, logvar):
    return -0.5 * jnp.sum(1.0 + logvar - mean**2 - jnp.exp(logvar), axis=-1)


@jax.jit
def train_step(state, batch, key):
    def loss_fn(params):
        recon_x, mean, logvar = state.apply_fn({"params": params}, batch, key)
        bce = optax.sigmoid_binary_cross_entropy(recon_x, batch).sum(-1)
        loss = jnp.mean(bce + kl_divergence(mean, logvar))
        return loss, recon_x

    (loss, recon_x), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads), loss, recon_x


def sample_images(key, n):
    proto = jax.random.bernoulli(jax.random.key(99), 0.3, (4, 64))
    idx = jax.random.randint(key, (n,), 0, 4)
    return proto[idx].astype(jnp.float32)


def create_state(key):
    model = VAE()
    p_key, z_key = jax.random.split(key)
    params = model.init(p_key, jnp.ones((1, 64)), z_key)["params"]
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))


if __name__ == "__main__":
    state = create_state(jax.random.key(0))
    key = jax.random.key(1)
    for i in range(20):
        key, data_key, z_key = jax.random.split(key, 3)
        state, loss, recon = train_step(state, sample_images(data_key, 32), z_key)
    print("loss", loss, "recon range", recon.min(), recon.max())
