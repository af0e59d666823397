"""A step that climbs on purpose, and says so."""

import jax
import optax


def make_m_step(objective, learning_rate=1e-3):
    """A function that maximizes the expected log-likelihood by some steps of Adam."""
    gradient = jax.grad(objective)

    def m_step(parameters, observations, steps):
        state = init(parameters)
        for _ in range(steps):
            updates, state = update(gradient(parameters, observations), state, parameters)
            parameters = optax.apply_updates(parameters, updates)
        return parameters

    init, update = optax.chain(optax.scale_by_adam(), optax.scale(learning_rate))
    return m_step
