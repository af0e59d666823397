from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.queries.stale import changed_globals, is_jitted
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.stale_state import stale
from gotcha_lint.solve.programs import Programs


class StaleGlobal(Rule):
    """Reads a global variable that changes after the function was compiled.

    ## What happens
    A global is read while the function is traced, and its value becomes a constant of the program.
    A later assignment has no effect: the results were 2, 2, 2, 2 where 2, 3.5, 5, 5 was meant. It
    is seen again only where something else (a new shape) makes JAX trace once more.

    ## Instead
    Pass the value as an argument.

    ## Not reported
    Registries that only modules fill, while they are imported, and of which the function asks
    `type(x) in KINDS`: each type of an argument is traced by itself.
    """

    severity = "error"
    preview = True
    roots = frozenset({"global"})
    confirmed_by = (("stale-capture", "global"),)
    examples = (
        Example(
            bad="""
                import jax

                rate = 2.0


                def set_rate(value):
                    global rate
                    rate = value


                @jax.jit
                def scale(x):
                    return x * rate  # ! stale-global


                before = scale(1.0)
                set_rate(5.0)
                after = scale(1.0)
            """,
            good="""
                import jax

                rate = 2.0


                def set_rate(value):
                    global rate
                    rate = value


                @jax.jit
                def scale(x, rate):
                    return x * rate


                before = scale(1.0, rate)
                set_rate(5.0)
                after = scale(1.0, rate)
            """,
            shows="float(before) == float(after)",
        ),
    )

    def check(self, body: Body) -> Iterator[Report]:
        function = body.function
        if not is_jitted(body) or body.hosted or function.scope.global_names:
            return
        found = dict[str, tuple[cst.CSTNode, cst.CSTNode | None]]()
        changed = changed_globals(body)
        for name in function.captured.keys() & changed.keys():
            how = body.model.module.scope.bound.get(name)
            if how is not None and all(one.__class__ is str for one in how):
                found[name] = function.captured[name], changed[name]
        for name, (node, where) in found.items():
            yield Report(
                node,
                f"the global `{name}` is read once, when `{function.name}` is traced: what is "
                f"assigned to it later is not seen by the compiled program",
                why_traced=True,
                places=((where, f"`{name}` is assigned here"),) if where is not None else (),
            )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        yield from stale(programs, "global")
