"""What the solver hands to its step size before the first step, and once."""

import jax


class LineSearch:
    def __init__(self, most=50):
        self.most = most

        def proposal(x, gradient, rate):
            return self.solver.prox(x - rate * gradient, rate)

        self.proposal = jax.jit(proposal)

    def internal_init(self, solver):
        self.solver = solver

    def update(self, x, gradient):
        return self.proposal(x, gradient, 0.1)
