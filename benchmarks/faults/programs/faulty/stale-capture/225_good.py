"""Receding-horizon control with a weight on the obstacle that is tightened."""
import jax
import jax.numpy as jnp
import numpy as np

HORIZON = 15
DT = 0.1


def rollout(x0, controls):
    def step(x, u):
        x = jnp.concatenate([x[:2] + DT * x[2:], x[2:] + DT * u])
        return x, x
    return jax.lax.scan(step, x0, controls)[1]


def obstacle_cost(xs, centre, radius=0.6):
    d = jnp.linalg.norm(xs[:, :2] - centre, axis=1)
    return jnp.sum(jnp.maximum(radius - d, 0.0) ** 2)


def plan(x0, goal, centre, outer=4, inner=60):
    penalty = 1.0

    def cost(controls, penalty):
        xs = rollout(x0, controls)
        reach = jnp.sum((xs[-1, :2] - goal) ** 2)
        effort = 1e-3 * jnp.sum(controls**2)
        return reach + effort + penalty * obstacle_cost(xs, centre)

    grad = jax.jit(jax.grad(cost))
    controls = jnp.zeros((HORIZON, 2)) + jnp.array([1.0, 0.05])
    for _ in range(outer):
        for _ in range(inner):
            controls = controls - 0.15 / (1 + 0.05 * penalty) * grad(controls, penalty)
        penalty *= 5.0
    return controls


def clearance(x0, controls, centre):
    xs = rollout(x0, controls)
    return float(jnp.linalg.norm(xs[:, :2] - centre, axis=1).min())


def main():
    x0 = jnp.array([0.0, 0.0, 0.8, 0.1])
    goal, centre = jnp.array([2.0, 0.2]), jnp.array([1.0, 0.0])
    controls = plan(x0, goal, centre)
    print("clearance", round(clearance(x0, controls, centre), 3))


if __name__ == "__main__":
    main()
