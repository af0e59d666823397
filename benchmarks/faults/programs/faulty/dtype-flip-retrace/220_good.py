"""Recover pupil aberrations of a telescope by gradient descent."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Telescope(eqx.Module):
    position: jax.Array
    coefficients: jax.Array
    flux: jax.Array
    basis: jax.Array

    def __call__(self):
        opd = jnp.tensordot(self.coefficients, self.basis, axes=1)
        n = opd.shape[-1]
        grid = jnp.linspace(-1, 1, n)
        tilt = self.position[0] * grid[:, None] + self.position[1] * grid[None]
        field = jnp.exp(1j * (opd + tilt))
        psf = jnp.abs(jnp.fft.fftshift(jnp.fft.fft2(field))) ** 2
        return self.flux * psf / psf.sum()


def zernike_like(n, order):
    y, x = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    terms = [x**i * y**j for i in range(order) for j in range(order - i)]
    return jnp.asarray(np.stack(terms), jnp.float32)


def build(n=32, order=3, dtype=jnp.float32):
    basis = zernike_like(n, order)
    return Telescope(position=jnp.array([0.1, -0.1]), coefficients=jnp.zeros(len(basis), dtype),
                     flux=jnp.asarray(1e2, jnp.float32), basis=basis)


def loss_fn(model, image):
    return jnp.mean((model() - image) ** 2)


@eqx.filter_jit
def step_fn(model, image, rates):
    print("tracing step_fn")
    loss, grads = eqx.filter_value_and_grad(loss_fn)(model, image)
    coefficients = model.coefficients - rates["coefficients"] * grads.coefficients
    coefficients = coefficients.astype(model.coefficients.dtype)
    position = model.position - rates["position"] * grads.position
    return eqx.tree_at(lambda m: (m.coefficients, m.position), model,
                       (coefficients, position)), loss


def recover(image, iterations=6):
    model = build(dtype=jnp.bfloat16)
    rates = {"coefficients": jnp.full(len(model.basis), 1e-2, jnp.float32),
             "position": jnp.full(2, 1e-1, jnp.float32)}
    for _ in range(iterations):
        model, loss = step_fn(model, image, rates)
    return model, float(loss)


if __name__ == "__main__":
    truth = eqx.tree_at(lambda m: m.position, build(), jnp.array([0.4, -0.2]))
    model, loss = recover(truth())
    print("loss", loss, model.position)
