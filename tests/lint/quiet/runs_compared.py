"""Whole runs from one key: they are compared, and only pictures are drawn of them."""

import jax
import jax.numpy as jnp


def train(key, rate):
    return 1 - rate * jax.random.normal(key, (8,))


def particle_filter(key, observations, n_samples):
    return observations + jax.random.normal(key, (n_samples, 1)).mean()


def plot_curves(key, ax, states):
    ax.plot(states + jax.random.normal(key, states.shape))


def main(observations, outliers, rates, axes):
    key, key_filter = jax.random.split(jax.random.key(0))
    key_plot, key_train = jax.random.split(key)
    states = particle_filter(key_filter, observations, n_samples=400)
    states_of_outliers = particle_filter(key_filter, outliers, n_samples=200)
    plot_curves(key_plot, axes[0], states)
    plot_curves(key_plot, axes[1], states_of_outliers)
    trained = [train(key_train, rate) for rate in rates]
    return states - states_of_outliers, jnp.stack(trained)
