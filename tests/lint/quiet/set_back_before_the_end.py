"""A context that is changed while a function is traced, and put back before it ends."""

import jax


class Context:
    def __init__(self, seed):
        self.seed = seed
        self.key = jax.random.key(seed)


def initial(ctx, x):
    def build(x):
        seed, key = ctx.seed, ctx.key
        ctx.seed += jax.lax.axis_index("devices")
        ctx.key = jax.random.key(ctx.seed)
        weights = jax.random.normal(ctx.key, x.shape)
        ctx.key = key
        ctx.seed = seed
        return weights

    return jax.pmap(build, "devices")(x)
