import jax

devices = jax.devices()
print(f"running on {devices[0].platform}")
