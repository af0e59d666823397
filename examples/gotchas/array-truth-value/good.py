import jax.numpy as jnp

lengths = jnp.array([3, 0, 5])
if (lengths > 0).all():
    print("nothing is empty")
