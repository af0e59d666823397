"""Vector-quantised autoencoder in linen."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState
from jax.lax import stop_gradient


class Quantizer(nn.Module):
    num_codes: int
    dim: int

    @nn.compact
    def __call__(self, inputs):
        codebook = self.param("codebook", nn.initializers.normal(0.5), (self.num_codes, self.dim))
        d2 = (
            jnp.sum(inputs**2, axis=-1, keepdims=True)
            - 2.0 * inputs @ codebook.T
            + jnp.sum(codebook**2, axis=-1)
        )
        indices = jnp.argmin(d2, axis=-1)
        quantized = codebook[indices]
        quantized = inputs + stop_gradient(quantized - inputs)
        commitment = jnp.mean((stop_gradient(quantized) - inputs) ** 2)
        codebook_loss = jnp.mean((quantized - stop_gradient(inputs)) ** 2)
        return quantized, 0.25 * commitment + codebook_loss, indices


class VQVAE(nn.Module):
    num_codes: int = 16
    dim: int = 4

    def setup(self):
        self.encoder = nn.Sequential([nn.Dense(32), nn.relu, nn.Dense(self.dim)])
        self.quantizer = Quantizer(self.num_codes, self.dim)
        self.decoder = nn.Sequential([nn.Dense(32), nn.relu, nn.Dense(12)])

    def __call__(self, x):
        z, vq_loss, idx = self.quantizer(self.encoder(x))
        return self.decoder(z), vq_loss, idx


@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        recon, vq_loss, _ = state.apply_fn({"params": params}, batch)
        return jnp.mean((recon - batch) ** 2) + vq_loss

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss, grads


def main():
    model = VQVAE()
    x = jax.random.normal(jax.random.PRNGKey(0), (64, 12))
    params = model.init(jax.random.PRNGKey(1), x)["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    for _ in range(10):
        state, loss, grads = train_step(state, x)
    moved = jnp.abs(state.params["quantizer"]["codebook"] - params["quantizer"]["codebook"]).max()
    print("loss", loss, "codebook grad", jnp.abs(grads["quantizer"]["codebook"]).max(), "moved", moved)


if __name__ == "__main__":
    main()
