# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
# ---

# +
import jax


def walk(key, steps=5):
    place, places = 0.0, []
    for n in range(steps):
        place = place + jax.random.normal(jax.random.fold_in(key, n))
        places.append(place)
    return places, jax.random.normal(key)


key = jax.random.key(0)
places = walk(key)
print(places[-1])

# +
walk_fast = jax.jit(walk, static_argnums=1)
places = walk_fast(key, 5)
print(places[-1])

# +
keys = jax.random.split(key, 32)
print(jax.vmap(walk)(keys)[1])
