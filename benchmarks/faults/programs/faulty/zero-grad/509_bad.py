"""Structure tokeniser for protein backbones: encoder, codebook and token decoder (nnx)."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Encoder(nnx.Module):
    def __init__(self, rngs):
        self.l1 = nnx.Linear(9, 32, rngs=rngs)
        self.l2 = nnx.Linear(32, 8, rngs=rngs)

    def __call__(self, frames):
        return self.l2(nnx.gelu(self.l1(frames)))


class Codebook(nnx.Module):
    def __init__(self, size, dim, rngs):
        self.table = nnx.Param(0.5 * jax.random.normal(rngs.params(), (size, dim)))

    def __call__(self, z):
        table = self.table[...]
        d2 = jnp.sum((z[..., None, :] - table) ** 2, -1)
        tokens = jnp.argmin(d2, -1)
        zq = table[tokens]
        commit = jnp.mean((jax.lax.stop_gradient(zq) - z) ** 2)
        embed = jnp.mean((zq - jax.lax.stop_gradient(z)) ** 2)
        return z + jax.lax.stop_gradient(zq - z), tokens, embed, commit


class TokenDecoder(nnx.Module):
    def __init__(self, size, dim, rngs):
        self.embed = nnx.Embed(size, dim, rngs=rngs)
        self.l1 = nnx.Linear(dim, 32, rngs=rngs)
        self.l2 = nnx.Linear(32, 9, rngs=rngs)

    def __call__(self, tokens=None, latents=None):
        x = self.embed(tokens) if latents is None else latents
        return self.l2(nnx.gelu(self.l1(x)))


class Tokeniser(nnx.Module):
    def __init__(self, rngs, size=32, dim=8):
        self.encoder = Encoder(rngs)
        self.codebook = Codebook(size, dim, rngs)
        self.decoder = TokenDecoder(size, dim, rngs)

    def __call__(self, frames):
        zq, tokens, embed, commit = self.codebook(self.encoder(frames))
        return self.decoder(tokens=tokens), embed, commit


def loss_fn(model, frames, beta):
    recon, embed, commit = model(frames)
    return jnp.mean((recon - frames) ** 2) + embed + beta * commit


@nnx.jit
def train_step(model, optimizer, frames, beta):
    loss, grads = nnx.value_and_grad(loss_fn)(model, frames, beta)
    optimizer.update(model, grads)
    return loss


def main():
    model = Tokeniser(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(2e-3), wrt=nnx.Param)
    frames = jax.random.normal(jax.random.key(1), (8, 20, 9))
    grads = nnx.grad(loss_fn)(model, frames, 0.0)
    print("encoder gradient from the reconstruction", jnp.abs(grads["encoder"]["l1"]["kernel"][...]).max())
    for _ in range(200):
        loss = train_step(model, optimizer, frames, 0.25)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
