"""A loop over a literal list, also one beside the data, has few turns."""

import jax.numpy as jnp


def curves(models, x):
    scores = jnp.zeros(0)
    for model, colour in zip(models, ["blue", "orange", "green"]):
        scores = jnp.append(scores, model.score(x))
        print(colour)
    return scores
