from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import IGNORED_PARAMETER
from gotcha_lint.interpret.faults.derivatives import UNREAD
from gotcha_lint.program.ir import Function
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.compiled_functions import CompiledFunction
from gotcha_lint.solve.programs import Programs


class ParameterIgnoredForSelf(Rule):
    """A traced method takes `x`, never reads it, and reads `self.x` instead.

    ## What happens
    Callers pass the current value; the program has the one that `self.x` had when it was traced,
    baked in as a constant. Nothing fails: an evaluation keeps reporting the first weights.

    ## In a run
    Of this example nothing: which of two numbers a program should have read, no run can tell. Where
    the attribute changes after the trace, the old value is reported.

    ## Instead
    Read the parameter.
    """

    severity = "error"
    confidence = "medium"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        traced: dict[Function, CompiledFunction] = {}
        for row in programs.compiled.values():
            for function in row.traced:
                traced.setdefault(function, row)
        for fault in programs.faults.of(IGNORED_PARAMETER):
            row = traced.get(fault.within)
            if row is None:
                continue
            (name,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{fault.within.name}` ignores its parameter `{name}` and reads `self.{name}`, "
                "whose value is fixed when it is traced",
                ((*row.site.origin, "compiled here"),),
            )
        for fault in programs.faults.of(UNREAD):
            function, name, attribute = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{function}` is differentiated by `{name}`, which it never reads: its gradient "
                f"is 0; it reads `self.{attribute}`",
                fault.places,
                fault.certain,
            )
