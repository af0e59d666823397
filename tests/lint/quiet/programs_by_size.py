"""Another size or another configuration each time: another program is right."""

import jax
import jax.numpy as jnp
from jax import lax


def correlation(frames):
    length = frames.sizes["time"]
    stride = max(1, int(1.0 / frames.dt))

    def correlate(values):
        def one(carry, shift):
            kept = jnp.arange(length) >= shift
            return carry, jnp.sum(jnp.where(kept, jnp.roll(values, shift) * values, 0))

        return lax.scan(one, 0, jnp.arange(0, length, stride))[1]

    return jax.jit(correlate)(frames.values)


def all_correlations(series):
    return [correlation(frames) for frames in series]


def sample_all(make_simulation, points, position):
    for temperature in points:
        begin, advance = make_simulation(temperature)

        def sample(state, _):
            state = lax.fori_loop(0, 100, lambda _, s: advance(s), state)
            return state, state.volume

        state, volumes = jax.jit(lambda state: lax.scan(sample, state, None, length=50))(
            begin(position)
        )
        print(state.volume, volumes.mean())
