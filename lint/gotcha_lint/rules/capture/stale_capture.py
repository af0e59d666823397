from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.values import Kind, Via
from gotcha_lint.queries.jitted import jitted_here
from gotcha_lint.queries.places import is_test
from gotcha_lint.queries.stale import rebound_after
from gotcha_lint.rule import Example, Report, Rule

_FUNCTIONS = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.NAMED})


class StaleCapture(Rule):
    """Changes a variable after a jitted closure over it was compiled.

    ## What happens
    What a jitted function captures becomes a constant of its program when it is first called.
    Python closures see later assignments; the compiled program does not, so that a learning rate
    that is lowered between epochs, or weights that are replaced, have no effect. An nnx model
    captured by its evaluation gave the loss of the untrained model, 7.1587 before and after
    training, where 0.00002 was true.

    ## Instead
    Pass it as an argument.
    """

    severity = "error"
    roots = frozenset({"jit", "pmap"})
    confirmed_by = (("stale-capture", "closure"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                rate = 0.5


                @jax.jit
                def step(x):
                    return x * rate


                x = jnp.ones(())
                for _ in range(5):
                    x = step(x)
                    rate = rate * 0.1  # ! stale-capture
            """,
            good="""
                import jax
                import jax.numpy as jnp

                rate = 0.5


                @jax.jit
                def step(x, rate):
                    return x * rate


                x = jnp.ones(())
                for _ in range(5):
                    x = step(x, rate)
                    rate = rate * 0.1
            """,
            shows="float(x) > 0.01",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        function = jitted_here(site)
        if function is None or is_test(site.body):
            return
        calls = _calls(site, site.result.via[-1])
        for name, use in function.captured.items():
            value = site.body.names.get(name)
            if value is None or value.kind in _FUNCTIONS or not calls:
                continue
            bind = rebound_after(site, calls, name)
            if bind is not None:
                yield _report(site, bind, name, function.name, use)


def _calls(site: Call, via: Via) -> list[Call]:
    functions = (c for c in site.body.of(Call) if c.callee.kind is Kind.FUNCTION)
    return [c for c in functions if any(v.site == via.site for v in c.callee.via)]


def _report(site: Call, bind: Bind, name: str, function: str, use: object) -> Report:
    assert isinstance(use, cst.CSTNode)
    return Report(
        bind.node,
        f"`{function}` was compiled with the value that `{name}` had at its first call: this "
        f"assignment is not seen by it; pass `{name}` as an argument",
        places=((site.node, f"`{function}` is jitted here"), (use, f"and reads `{name}` here")),
    )
