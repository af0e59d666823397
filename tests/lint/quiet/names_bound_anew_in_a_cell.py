# jupytext: a notebook
import jax
import jax.numpy as jnp

grid = jnp.linspace(0, 1, 50)
amplitude_key, phase_key = jax.random.split(jax.random.key(0))

# %%
amplitude = jax.random.uniform(amplitude_key, ())
phase = jax.random.uniform(phase_key, ())
print(amplitude, phase)


def start(x):
    return amplitude * jnp.sin(x + phase)


u = start(grid)
show(u)

# %%
amplitudes = jax.random.uniform(amplitude_key, (2,))
phases = jax.random.uniform(phase_key, (2,))
print(amplitudes, phases)


def start(x):
    return amplitudes[0] * jnp.sin(x + phases[0]) + amplitudes[1] * jnp.sin(2 * x + phases[1])


u = start(grid)
show(u)
