import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Encoder(nnx.Module):
    def __init__(self, din, dmid, dout, *, rngs):
        self.linear1 = nnx.Linear(din, dmid, rngs=rngs)
        self.mean = nnx.Linear(dmid, dout, rngs=rngs)
        self.std = nnx.Linear(dmid, dout, rngs=rngs)
        self.rngs = rngs

    def __call__(self, x):
        h = nnx.relu(self.linear1(x))
        mu, log_std = self.mean(h), self.std(h)
        z = mu + jnp.exp(log_std) * jax.random.normal(self.rngs.noise(), mu.shape)
        return z, mu, log_std


class VAE(nnx.Module):
    def __init__(self, din, latent, *, rngs):
        self.encoder = Encoder(din, 32, latent, rngs=rngs)
        self.decoder = nnx.Linear(latent, din, rngs=rngs)

    def __call__(self, x):
        z, mu, log_std = self.encoder(x)
        return self.decoder(z), mu, log_std


def elbo(model, x):
    recon, mu, log_std = model(x)
    kl = -0.5 * jnp.mean(1 + 2 * log_std - mu**2 - jnp.exp(2 * log_std))
    return jnp.mean((recon - x) ** 2) + 0.1 * kl


@nnx.jit
def train_step(model, optimizer, x):
    loss, grads = nnx.value_and_grad(elbo)(model, x)
    optimizer.update(model, grads)
    return loss


def main():
    model = VAE(10, 4, rngs=nnx.Rngs(0, noise=1))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3))
    x = jax.random.normal(jax.random.key(2), (32, 10))
    for _ in range(10):
        loss = train_step(model, optimizer, x)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
