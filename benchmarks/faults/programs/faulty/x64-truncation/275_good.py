import time
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class FilterConfig:
    rate: float = 2.0
    gain: float = 0.4


def init_filter():
    return {"value": jnp.zeros(3), "stamp": jnp.asarray(0.0)}


@jax.jit
def update(state, measurement, now, rate, gain):
    dt = now - state["stamp"]
    decay = jnp.exp(-rate * dt)
    value = decay * state["value"] + (1.0 - decay) * gain * measurement
    return {"value": value, "stamp": now}, dt


class SensorFusion:
    def __init__(self, cfg):
        self.cfg = cfg
        self.state = init_filter()
        self.start = time.time()

    def push(self, measurement):
        now = time.time() - self.start
        self.state, dt = update(
            self.state, jnp.asarray(measurement), now, self.cfg.rate, self.cfg.gain
        )
        return float(dt)


def main():
    fusion = SensorFusion(FilterConfig())
    dts = []
    for i in range(6):
        time.sleep(0.05)
        dts.append(fusion.push([1.0, 0.5, 0.1 * i]))
    print("dt seen by the filter:", [round(d, 3) for d in dts])
    print("value", fusion.state["value"])


if __name__ == "__main__":
    main()
