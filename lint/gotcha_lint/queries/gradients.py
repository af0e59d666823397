"""What is differentiated: does a gradient flow from the loss through this place to a parameter?"""

from __future__ import annotations

from gotcha_lint.analysis.flowing import LIKELY
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Body


def differentiated(body: Body, *, modules: bool = False) -> bool:
    """Surely inside of a gradient; with `modules` also what a module computes when it is called."""
    trace = body.trace
    if trace is None or trace.soft:
        return modules and trace is not None and "module" in trace.roles
    if "custom" in trace.roles:  # another function says what its derivative is
        return False
    return not trace.roles.isdisjoint(GRADS)


def given_gradients(body: Body, *, modules: bool = False) -> bool:
    """What it is given is differentiated too; with `modules` also what modules are given."""
    trace = body.trace
    if trace is None:
        return False
    likely = LIKELY in body.graded or (body.function.is_method and "module" in trace.roles)
    surely = bool(body.graded) and LIKELY not in body.graded
    return surely or (modules and likely)


def is_loss(body: Body) -> bool:
    """It is given to `jax.grad` or its kin itself, and not called by what is."""
    trace = body.trace
    if trace is None or not trace.direct or not trace.chain:
        return False
    return trace.chain[-1][1].partition(" ")[0] in GRADS
