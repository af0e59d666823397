"""What is traced comes after the return for None, so that the branch for None never is."""

import jax
import jax.numpy as jnp


def renewed(positions, old=None):
    def build(positions):
        if old is None:
            if jnp.all(positions < 1.0):
                positions = positions * 2.0
        return positions

    kept = old
    if kept is None:
        return build(positions)
    return jax.lax.cond(jnp.any(positions > 2.0), build, lambda x: kept, positions)
