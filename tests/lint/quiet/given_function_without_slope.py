"""What a test gives for a model lets no gradient through; the real ones, given elsewhere, do."""

import jax
import jax.numpy as jnp


def guided(denoise, observed):
    def guided_denoise(x, sigma):
        def constraint(xt):
            denoised = denoise(xt, sigma)
            return jnp.sum((denoised[1:] - observed) ** 2), denoised

        gradient, denoised = jax.grad(constraint, has_aux=True)(x)
        return denoised - 0.5 * gradient

    return guided_denoise


def steepest(loss, x):
    return jax.grad(lambda y: loss(y))(x)


def check_guided():
    def dummy(x, sigma):
        return jnp.ones_like(x)

    assert guided(dummy, jnp.zeros(3))(jnp.ones(4), 0.1).shape == (4,)
    assert steepest(lambda x: jnp.sum(jnp.round(x)), jnp.ones(4)).shape == (4,)
