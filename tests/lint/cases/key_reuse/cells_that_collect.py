# jupytext: a notebook
import jax
import jax.numpy as jnp

key = jax.random.key(0)
results = []

# %%
results.append(jax.random.normal(key, (3,)))

# %%
results.append(jax.random.normal(key, (3,)))  # ! key-reuse
print(jnp.stack(results))
