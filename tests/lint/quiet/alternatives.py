"""A branch for each alternative, of which `switch` runs one."""

import jax


def attack(x, key, which):
    branches = []
    for scale in (0.1, 0.2, 0.3):
        branches.append(lambda x, scale=scale: x + scale * jax.random.normal(key, x.shape))
    return jax.lax.switch(which, branches, x)
