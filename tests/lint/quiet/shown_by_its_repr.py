"""A layer that shows its numbers to whoever asks for it, one by one."""

import jax.numpy as jnp


class Scale:
    def __init__(self, size):
        self.scale = jnp.linspace(0.5, 1.5, size)

    def __call__(self, x):
        return self.scale * x

    def __repr__(self):
        values = jnp.atleast_1d(self.scale)
        return f"Scale({', '.join(f'{float(value):.3f}' for value in values)})"
