from dataclasses import dataclass

import jax
import jax.numpy as jnp


def save_exp(x, max_value=20.0):
    """Exponential that does not overflow."""
    x = jnp.minimum(x, max_value)
    return jnp.exp(x)


def exponential_euler(x, dt, x_inf, tau):
    decay = save_exp(-dt / tau)
    return x * decay + x_inf * (1.0 - decay)


@dataclass(frozen=True)
class HH:
    gna: float = 0.12
    gk: float = 0.036
    gl: float = 3e-4
    ena: float = 50.0
    ek: float = -77.0
    el: float = -54.3

    def gates(self, v):
        am = 0.1 * (v + 40) / (1 - save_exp(-(v + 40) / 10) + 1e-6)
        bm = 4.0 * save_exp(-(v + 65) / 18)
        an = 0.01 * (v + 55) / (1 - save_exp(-(v + 55) / 10) + 1e-6)
        bn = 0.125 * save_exp(-(v + 65) / 80)
        return (am, bm), (an, bn)

    def current(self, v, m, n):
        na = self.gna * m**3 * (v - self.ena)
        return na + self.gk * n**4 * (v - self.ek) + self.gl * (v - self.el)


def integrate(channel, stimulus, dt=0.025):
    def step(state, i_ext):
        v, m, n = state
        (am, bm), (an, bn) = channel.gates(v)
        m = exponential_euler(m, dt, am / (am + bm), 1 / (am + bm))
        n = exponential_euler(n, dt, an / (an + bn), 1 / (an + bn))
        v = v + dt * (i_ext - 1e3 * channel.current(v, m, n))
        return (v, m, n), v

    init = (jnp.asarray(-65.0), jnp.asarray(0.05), jnp.asarray(0.3))
    return jax.lax.scan(step, init, stimulus)[1]


def main():
    stim = jnp.where(jnp.arange(200) > 50, 10.0, 0.0)
    v = jax.jit(integrate, static_argnums=0)(HH(), stim)
    print("peak", float(v.max()), "finite", bool(jnp.isfinite(v).all()))


if __name__ == "__main__":
    main()
