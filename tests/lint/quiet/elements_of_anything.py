"""Loops over what an annotation calls an array, and elements that a function of one's own asks."""

import jax
import jax.numpy as jnp
import numpy as np


def circles(axes, places: jax.Array, done: jax.Array):
    """A plot hands on what the device gave, or what was fetched from it."""
    colours = ["black" if each else "red" for each in done]
    for number in range(len(colours)):
        axes.circle(float(places[number]), colours[number])


def forces(graph: jax.Array, count: int) -> np.ndarray:
    found = np.zeros(count)
    for i in range(count):
        for j in range(count):
            if graph[i, j]:
                found[i] += 1
    return found


class Moves:
    def __init__(self, count: int) -> None:
        self.count = count
        self.names = [f"move {n}" for n, a in enumerate(jnp.arange(count)) if self.is_legal(a)]

    def is_legal(self, action: jax.Array) -> jax.Array:
        return action < self.count - 1
