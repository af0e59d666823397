"""Event-rate features from GPS nanosecond stamps of a gravitational-wave trigger list."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Triggers:
    gps_ns: np.ndarray
    snr: np.ndarray


def load_triggers(seed, n=64):
    rng = np.random.default_rng(seed)
    start = np.int64(1_187_008_882) * 1_000_000_000
    gaps = rng.exponential(2e8, n).astype(np.int64)
    return Triggers(start + np.cumsum(gaps), rng.uniform(5.0, 12.0, n))


def to_device(trig):
    relative = (trig.gps_ns - trig.gps_ns[0]).astype(np.float64) * 1e-9
    return jnp.asarray(relative, jnp.float32), jnp.asarray(trig.snr, jnp.float32)


@jax.jit
def features(times, snr):
    elapsed = times - times[0]
    rate = (elapsed.shape[0] - 1) / elapsed[-1]
    weights = jax.nn.softmax(snr)
    return jnp.stack([rate, elapsed.max(), jnp.sum(weights * elapsed)])


def fit_modulation(elapsed_max, weighted, steps=200, lr=0.05):
    def objective(a):
        return (jnp.tanh(a) * elapsed_max - weighted) ** 2 / elapsed_max**2

    step = jax.jit(lambda a: a - lr * jax.grad(objective)(a))
    a = jnp.zeros(())
    for _ in range(steps):
        a = step(a)
    return jnp.tanh(a)


if __name__ == "__main__":
    trig = load_triggers(0)
    f = features(*to_device(trig))
    true = (trig.gps_ns[-1] - trig.gps_ns[0]) * 1e-9
    print("rate %.4f Hz, last event %.4f s" % (f[0], f[1]), "true", 63 / true, true)
    print("fraction", fit_modulation(f[1], f[2]))
