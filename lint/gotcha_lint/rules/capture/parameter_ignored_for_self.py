from collections.abc import Iterator

from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Body
from gotcha_lint.queries.selfs import hashed_by_identity, own_attributes
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import Example, Report, Rule


class ParameterIgnoredForSelf(Rule):
    """A traced method takes `x`, never reads it, and reads `self.x` instead.

    ## What happens
    Callers pass the value of today; the program has the one that `self.x` had when it was traced,
    baked in as a constant. Nothing fails: an evaluation keeps reporting the first weights.

    ## In a run
    Of this example nothing: which of two numbers a program should have read, no run can tell. Where
    the attribute changes after the trace, the old value is reported.

    ## Instead
    Read the parameter.
    """

    severity = "error"
    preview = True
    confirmed_by = (("stale-capture", "self"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax


                class Model:
                    def __init__(self):
                        self.scale = 2.0

                    @partial(jax.jit, static_argnums=0)
                    def apply(self, scale, x):
                        return self.scale * x  # ! parameter-ignored-for-self


                result = Model().apply(5.0, 1.0)
            """,
            good="""
                from functools import partial

                import jax


                class Model:
                    def __init__(self):
                        self.scale = 2.0

                    @partial(jax.jit, static_argnums=0)
                    def apply(self, scale, x):
                        return scale * x


                result = Model().apply(5.0, 1.0)
            """,
            shows="float(result) == 2.0",
        ),
    )

    def check(self, body: Body) -> Iterator[Report]:
        function = body.function
        if body.trace is None or not function.is_method or len(function.params) < 2:
            return
        if not hashed_by_identity(body):
            return
        params = [p.name for p in function.params[1:] if not p.name.startswith("_")]
        own = list(own_attributes(function))
        if not own:
            return
        unread = set(params) - {name.value for name in names_read(function.node)}
        for name, node in dict(own).items():
            if name in unread:
                yield Report(
                    node,
                    f"`{function.name}` ignores its parameter `{name}` and reads `self.{name}`, "
                    f"whose value is fixed when it is traced",
                    why_traced=True,
                )
                unread.discard(name)
        for name in sorted(unread & _differentiated(body)):
            attribute, node = own[0]
            yield Report(
                node,
                f"`{function.name}` is differentiated by `{name}`, which it never reads: its "
                f"gradient is 0; it reads `self.{attribute}`",
                why_traced=True,
            )


def _differentiated(body: Body) -> frozenset[str]:
    """The parameters that a `jax.grad` of this very function is taken of."""
    trace = body.trace
    if trace is None or trace.soft or not trace.direct or not trace.known:
        return frozenset()
    role = trace.chain[-1][1].partition(" of ")[0]
    return (trace.wrt or frozenset()) if role in GRADS else frozenset()
