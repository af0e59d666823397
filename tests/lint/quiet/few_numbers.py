"""A few numbers that are written out, each for a curve of its own."""

import jax.numpy as jnp


def curves(model, axes, times):
    rates = jnp.array([0.1, 1.0, 10.0, 100.0])
    for rate in rates:
        axes.plot(times, model(times, rate=float(rate)), label=f"{rate:.1f} per second")
    for i in range(len(rates)):
        axes.text(0.0, 1.0 * i, str(int(rates[i])))
