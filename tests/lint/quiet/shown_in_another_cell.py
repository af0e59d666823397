# jupytext: a notebook
import jax

key = jax.random.key(0)

# %%
show(alignment(jax.random.normal(key, (8, 8))))

# %%
scores = jax.random.normal(key, (8, 9))
show(alignment(scores))
