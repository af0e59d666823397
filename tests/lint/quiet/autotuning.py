"""Each setting is another program, on purpose."""

import functools
import itertools

import jax


def tune(a, kernel, mesh, spec):
    for num_blocks, tile in itertools.product((4, 8), (1024, 2048)):

        @jax.jit
        @functools.partial(jax.shard_map, mesh=mesh, in_specs=spec, out_specs=spec)
        def f(x):
            return kernel(x, num_blocks=num_blocks, tile=tile)

        f(a).block_until_ready()


def tune_over(a, kernel):
    tried = itertools.product((4, 8), (1024, 2048))
    for num_blocks, tile_size in tried:

        @jax.jit
        def f(x):
            return kernel(x, num_blocks=num_blocks, tile_size=tile_size)

        f(a).block_until_ready()
