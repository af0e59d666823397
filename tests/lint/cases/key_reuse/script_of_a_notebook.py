# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
# ---

# +
import jax

key = jax.random.key(0)
state = jax.random.normal(key, (3,))
print(state)

# +
key = jax.random.key(1)
state = jax.random.normal(key, (3,))  # nobody reads it before it is bound again
weights = jax.random.normal(key, (3,))
noise = jax.random.normal(key, (3,))  # ! key-reuse
print(weights, noise)

# +
key = jax.random.key(2)
first = jax.random.normal(key, (3,))
other = jax.random.normal(key, (3,))  # ! key-reuse


def shown():
    return first, other


# +
key = jax.random.key(3)
state = jax.random.normal(key, (3,))
others = jax.random.normal(key, (3,))

# +
key = jax.random.key(4)
weights = jax.random.normal(key, (3, 3))
rows = jax.random.normal(key, (5, 3))


def apply(rows):
    return rows @ weights


# +
speed_of = jax.random.normal(key, (1000,))  # a magic may time it: another cell's business
