import time

import jax
import jax.numpy as jnp
import numpy as np


class Planner:
    def __init__(self, layers=3, width=32):
        self.layers, self.width = layers, width
        self.solve = jax.jit(self._solve)

    def _edge_costs(self, points):
        diff = points[:-1, :, None] - points[1:, None, :]
        return jnp.sum(diff**2, axis=-1)

    def _solve(self, points):
        costs = self._edge_costs(points)

        def relax(value, cost):
            total = value[:, None] + cost
            return total.min(axis=0), total.argmin(axis=0)

        value, parents = jax.lax.scan(relax, jnp.zeros(self.width), costs)
        return value.min(), parents


def sample_layers(rng, layers, width):
    return jnp.asarray(rng.random((layers, width, 2)), jnp.float32)


def benchmark(planner, repeats=5, seed=0):
    rng = np.random.default_rng(seed)
    jax.block_until_ready(planner.solve(sample_layers(rng, planner.layers, planner.width)))
    times, costs = [], []
    for _ in range(repeats):
        points = sample_layers(rng, planner.layers, planner.width)
        start = time.perf_counter()
        cost, _ = jax.block_until_ready(planner.solve(points))
        times.append(time.perf_counter() - start)
        costs.append(float(cost))
        print(f"cost {cost:.4f} in {times[-1] * 1e3:.2f} ms")
    return np.mean(times), costs


if __name__ == "__main__":
    mean, costs = benchmark(Planner())
    print("distinct costs", len(set(costs)))
