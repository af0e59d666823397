from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.queries.selfs import (
    handed_over,
    hashed_by_identity,
    own_attributes,
    through_closure,
    with_helpers,
    writers_of,
)
from gotcha_lint.queries.stale import is_jitted_itself
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.stale_state import stale
from gotcha_lint.solve.programs import Programs


class StaleSelf(Rule):
    """Reads an attribute of a static `self` that changes after the method was compiled.

    ## What happens
    With `static_argnums=0` (or `jax.jit(self.method)`) the object is not data but part of the
    cache's key, hashed by its identity. Its attributes are read once, while the method is traced:
    after the weights were set to zero, the output was unchanged. The cache also keeps every
    instance alive (10 of 10 after a garbage collection).

    ## Instead
    Pass what changes as an argument, and return what the method computes.

    ## Not reported
    Attributes that only `__init__` and other set-up code assigns, classes with a `__hash__` or
    `__eq__` of their own, modules that are pytrees, and methods that jit again after the change
    or clear the attribute that holds the program. Programs that each call of a method makes again
    and leaves behind. The graph that `nnx.split` gives. Of closures
    over `self`, those that are made again later.
    """

    severity = "error"
    confirmed_by = (("stale-capture", "self"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                class Model:
                    def __init__(self):
                        self.scale = jnp.ones(())

                    def double(self):
                        self.scale = self.scale * 2

                    @partial(jax.jit, static_argnums=0)
                    def __call__(self, x):
                        return x * self.scale  # ! stale-self


                model = Model()
                before = model(1.0)
                model.double()
                after = model(1.0)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def apply(scale, x):
                    return x * scale


                class Model:
                    def __init__(self):
                        self.scale = jnp.ones(())

                    def double(self):
                        self.scale = self.scale * 2

                    def __call__(self, x):
                        return apply(self.scale, x)


                model = Model()
                before = model(1.0)
                model.double()
                after = model(1.0)
            """,
            shows="float(before) == float(after)",
        ),
    )

    def check(self, body: Body) -> Iterator[Report]:
        if body.trace is None or not is_jitted_itself(body):
            return
        function, method = body.function, body.function
        traced = {function.name}
        if function.is_method:
            helpers = with_helpers(function) if _is_static(body) else {}
            own = [one for helper in helpers.values() for one in own_attributes(helper)]
            handed = handed_over(body) if helpers else ()
            reads: Sequence[tuple[str, cst.CSTNode]] = [*own, *handed]
            traced |= helpers.keys()
        else:
            method, reads = through_closure(function) or (function, [])
        if not reads or not hashed_by_identity(body, method):
            return
        done: set[str] = set()
        for name, node in reads:
            writers = writers_of(body, name, method)
            if writers and name not in done and traced.isdisjoint(writers):
                done.add(name)
                yield Report(
                    node,
                    f"`self.{name}` is read once, when `{function.name}` is traced, and "
                    f"`{writers[0]}` changes it later: the compiled program keeps the old value",
                    why_traced=True,
                )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        yield from stale(programs, "attribute")


def _is_static(body: Body) -> bool:
    """Declared static, or filled in already: `compiled(self.step)`."""
    node, params = body.function.node, body.function.params
    plain = isinstance(node, cst.FunctionDef) and not node.decorators
    assert body.trace is not None
    return bool(params) and (plain or params[0].name in body.trace.static)
