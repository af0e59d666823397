import jax
import jax.numpy as jnp


def misfit(scores: jax.Array, labels: jax.Array) -> jax.Array:
    errors = scores - labels
    return jnp.mean(errors**2)


def misfit_of_pair(pair: tuple[jax.Array, dict], labels: jax.Array) -> jax.Array:
    return misfit(pair[0], labels)
