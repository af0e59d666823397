"""Life-cycle consumption model solved for a grid of household types."""
import functools

import jax
import jax.numpy as jnp
import numpy as np

WEALTH = jnp.linspace(0.1, 20.0, 120)
INCOME = jnp.array([0.5, 1.0, 2.0])


def crra(c, gamma):
    return jnp.where(c > 0, jnp.maximum(c, 1e-8) ** (1 - gamma) / (1 - gamma), -1e6)


def utility(c, age_weight, gamma):
    return age_weight * crra(c, gamma)


@functools.partial(jax.jit, static_argnames=("period_utility", "periods"))
def solve_backward(beta, rate, gamma, period_utility, periods):
    def bellman(value, weight):
        cash = (1 + rate) * WEALTH[:, None] + INCOME
        consumption = cash[..., None] - WEALTH
        future = beta * value.mean(axis=1)
        total = period_utility(consumption, weight, gamma) + future
        best = total.max(axis=-1)
        return best, WEALTH[total.argmax(axis=-1)]

    weights = jnp.linspace(1.0, 0.8, periods)
    init = jnp.zeros((WEALTH.size, INCOME.size))
    return jax.lax.scan(bellman, init, weights)


def solve_types(gammas, beta=0.96, rate=0.03, periods=40):
    mean_savings = []
    for gamma in gammas:
        _, policy = solve_backward(beta, rate, gamma, period_utility=utility,
                                   periods=periods)
        mean_savings.append(float(policy.mean()))
    return np.array(mean_savings)


def calibrate(target, gammas):
    savings = solve_types(gammas)
    return gammas[int(np.abs(savings - target).argmin())], savings


if __name__ == "__main__":
    gamma, savings = calibrate(9.0, np.linspace(1.5, 5.0, 6))
    print("gamma", gamma, np.round(savings, 2), "programs", solve_backward._cache_size())
