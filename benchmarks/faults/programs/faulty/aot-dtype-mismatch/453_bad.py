"""Life-cycle model: simulate agents with a step compiled ahead of time per regime."""
import dataclasses

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Regime:
    name: str
    wealth_grid: np.ndarray
    interest: float
    wage: float


def solve_policy(regime, discount=0.95, periods=30):
    grid = jnp.asarray(regime.wealth_grid)
    value = jnp.log(grid)
    choice = jnp.zeros(len(grid), jnp.int32)
    for _ in range(periods):
        consumption = (1 + regime.interest) * grid[:, None] + regime.wage - grid[None]
        utility = jnp.where(consumption > 0, jnp.log(jnp.maximum(consumption, 1e-8)), -1e10)
        total = utility + discount * value[None]
        choice, value = jnp.argmax(total, axis=1), total.max(axis=1)
    return choice


def transition(state, policy):
    next_state = policy[state]
    return next_state, state != next_state


class Simulator:
    def __init__(self, regime, num_agents):
        self.regime, self.num_agents = regime, num_agents
        self.policy = solve_policy(regime)
        state = jax.ShapeDtypeStruct((num_agents,), jnp.int32)
        policy = jax.ShapeDtypeStruct(self.policy.shape, self.policy.dtype)
        self.step = jax.jit(transition).lower(state, policy).compile()

    def initial_states(self, wealth):
        return jnp.searchsorted(jnp.asarray(self.regime.wealth_grid), jnp.asarray(wealth)).astype(jnp.int32)

    def run(self, wealth, periods):
        state = self.initial_states(wealth)
        moves = []
        for _ in range(periods):
            state, moved = self.step(state, self.policy)
            moves.append(moved)
        return self.regime.wealth_grid[np.asarray(state)], float(jnp.mean(jnp.stack(moves)))


def main():
    regime = Regime("work", np.linspace(0.5, 20.0, 60), 0.04, 1.0)
    rng = np.random.default_rng(0)
    sim = Simulator(regime, num_agents=100)
    wealth, moved = sim.run(rng.uniform(1.0, 10.0, 100), periods=15)
    print("mean wealth", wealth.mean(), "share moving", moved)


if __name__ == "__main__":
    main()
