import jax
import jax.numpy as jnp


def product():
    mesh = jax.make_mesh((jax.device_count(),), ("x",))  # ! mesh-axis-types
    return mesh, jnp.ones((8, 8))
