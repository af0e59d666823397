# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
# ---

# +
import jax


def walk(key, steps=5):
    return sum(jax.random.normal(jax.random.fold_in(key, n)) for n in range(steps)) + draw(key)


def draw(key):
    return jax.random.normal(key)


key = jax.random.key(0)
places = walk(key)
shown = places * 2

# +
places = draw(key)  # ! key-reuse
print(places)

# +
print(shown - places)
