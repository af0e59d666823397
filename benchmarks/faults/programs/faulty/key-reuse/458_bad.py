"""Denoising autoencoder (nnx) whose per-sample corruption runs inside the model."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class NoisyEncoder(nnx.Module):
    def __init__(self, d_in: int, d_latent: int, sigma: float, rngs: nnx.Rngs):
        self.inp = nnx.Linear(d_in, 32, rngs=rngs)
        self.out = nnx.Linear(32, d_latent, rngs=rngs)
        self.sigma = sigma
        self.rngs = rngs

    def __call__(self, x):
        noise = jax.random.normal(self.rngs.noise(), x.shape)
        return self.out(nnx.gelu(self.inp(x + self.sigma * noise)))


class Decoder(nnx.Module):
    def __init__(self, d_latent: int, d_out: int, rngs: nnx.Rngs):
        self.lin = nnx.Linear(d_latent, d_out, rngs=rngs)

    def __call__(self, z):
        return self.lin(z)


class DAE(nnx.Module):
    def __init__(self, d: int, rngs: nnx.Rngs):
        self.enc = NoisyEncoder(d, 4, 0.5, rngs)
        self.dec = Decoder(4, d, rngs)

    def __call__(self, x):
        return self.dec(self.enc(x))


def encode_batch(model: DAE, xs):
    return nnx.vmap(lambda m, x: m(x), in_axes=(None, 0))(model, xs)


@nnx.jit
def train_step(model, optimizer, xs):
    def loss_fn(model):
        return jnp.mean((encode_batch(model, xs) - xs) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main():
    model = DAE(6, nnx.Rngs(params=0, noise=1))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    xs = jax.random.normal(jax.random.key(2), (16, 6))
    for _ in range(5):
        loss = train_step(model, optimizer, xs)
    same = jnp.tile(xs[:1], (8, 1))
    recon = encode_batch(model, same)
    print("loss", loss, "std over eight corruptions of one sample", recon.std(axis=0).mean())


if __name__ == "__main__":
    main()
