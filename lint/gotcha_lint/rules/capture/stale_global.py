from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.assigned_globals import assigned_globals
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
    confidence = "medium"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        told = list(stale(programs, "global"))
        yield from told
        places = {one.place for one in told if one.certain}
        for row in programs.compiled.values():
            for found in assigned_globals(row):
                if found.read not in places and not is_test(found.reader.path):
                    places.add(found.read)
                    yield Foreseen(
                        found.read,
                        f"the global `{found.name}` is read once, when `{found.reader.name}` is "
                        "traced: what is assigned to it later is not seen by the compiled program",
                        ((*found.assigned, f"`{found.name}` is assigned here"),),
                    )
