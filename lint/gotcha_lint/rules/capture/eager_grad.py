from collections.abc import Iterator

from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, holds_tracer
from gotcha_lint.queries.host import runs_often_on_host
from gotcha_lint.queries.places import repeated
from gotcha_lint.rule import Example, Report, Rule

_GRADS = frozenset({"grad", "value_and_grad"})


class EagerGrad(Rule):
    """Takes gradients outside of `jax.jit` at each step of a training loop.

    ## What happens
    Nothing fails and nothing is compiled again: `jax.grad` traces the loss again at each step and
    then runs it forwards and backwards operation by operation, each one dispatched from Python.
    Measured on CPU, a step is 32 times (small MLP) to 89 times (with an Adam update) slower than
    under one `jax.jit`.

    ## Instead
    Put the whole step (gradients and optimizer update) into one jitted function that takes
    parameters and batch as arguments.

    ## Not reported
    Code that is traced or may be: functions handed to `jit` somewhere in the project, libraries
    whose callers jit them, tests, loops of a few iterations.
    """

    roots = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian"})
    confirmed_by = (("eager-grad", ""),)
    preview = True  # a second reader disagreed about one of its two findings on real code
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                calls = 0


                def loss(w, x):
                    global calls
                    calls += 1
                    return jnp.sum((w * x) ** 2)


                w = jnp.ones(3)
                for i in range(10):
                    x = jnp.full(3, 0.1 * i)
                    grads = jax.grad(loss)(w, x)  # ! eager-grad
                    w = w - 0.1 * grads
            """,
            good="""
                import jax
                import jax.numpy as jnp

                calls = 0


                def loss(w, x):
                    global calls
                    calls += 1
                    return jnp.sum((w * x) ** 2)


                @jax.jit
                def step(w, x):
                    return w - 0.1 * jax.grad(loss)(w, x)


                w = jnp.ones(3)
                for i in range(10):
                    x = jnp.full(3, 0.1 * i)
                    w = step(w, x)
            """,
            shows="calls > 1",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        names = [via.name for via in site.callee.via]
        if (
            site.callee.kind is not Kind.FUNCTION
            or not names
            or names[-1] not in _GRADS
            or not BOUNDARIES.isdisjoint(names)
        ):
            return
        if site.args and all(value.kind is Kind.STATIC for value in site.args):
            return  # the slope at a number
        if any(map(holds_tracer, (*site.args, *site.kwargs.values()))) or not runs_often_on_host(
            site
        ):
            return
        each = repeated(site)
        yield Report(
            site.node,
            f"this {names[-1]} is not under `jit`: at each {each} the function is traced again and "
            f"run operation by operation; jit the whole step",
            why_hot=True,
        )
