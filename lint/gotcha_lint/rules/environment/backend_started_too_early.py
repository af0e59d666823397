from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.options import READ_AT_START
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.start.backend import AT_IMPORT, DEFAULT
from gotcha_lint.interpret.start.startup import JOINED, OPTION
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.startup import TooLate

_JOINS, _RAISES = "`jax.distributed.initialize`", "raises RuntimeError"


class BackendStartedTooEarly(Rule):
    """Starts JAX's backend before `jax.distributed.initialize` or a setting that it reads.

    ## What happens
    `RuntimeError: jax.distributed.initialize() must be called before any JAX calls that might
    initialise the XLA backend.` An array or a key at the top of the module starts it, and so does a
    question like `jax.process_count()` or `jax.devices()`, also where it decides whether to
    initialize. On one machine, without initialization, it is not seen. `jax_num_cpu_devices` raises
    a `RuntimeError` as well; `jax_platforms` does nothing any more.

    ## Instead
    Initialize first; ask, make arrays and keys after that, inside functions. At the top of a module
    use numpy.

    ## Not reported
    Calls behind `jax.distributed.is_initialized()`; starts that may not come about; tests. As a
    note: a default of a parameter that JAX computes, as `def step(x, key=jax.random.key(0))`. With
    `--all`: modules that start the backend while they are imported, where nothing that is seen
    initializes after that.

    ## In a run
    The `RuntimeError` itself.

    ## The price
    An error, or a setting without effect.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                if jax.device_count() < 4:
                    jax.config.update("jax_num_cpu_devices", 4)  # ! backend-started-too-early
                devices = jax.devices()
            """,
            good="""
                import jax

                devices = jax.devices()
            """,
            unseen="the process in which the examples run has as many devices already",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                SCALE = jnp.ones(3)


                def main():
                    jax.distributed.initialize()  # ! backend-started-too-early
            """,
            good="""
                import jax
                import numpy as np

                SCALE = np.ones(3)


                def main():
                    jax.distributed.initialize()
            """,
            unseen="JAX has started in the process in which the examples run",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        at_import, defaults = programs.effects[AT_IMPORT], programs.effects[DEFAULT]
        for place in sorted(defaults):
            if not is_test(place[0]) and (place not in at_import or at_import[place].maybe):
                yield Foreseen(
                    place,
                    "this default is computed when the module is imported, which starts JAX's "
                    "backend and puts it on a device: use numpy, or make it in the function",
                    severity="info",
                )
        for place, effect in sorted(at_import.items(), key=lambda item: item[0]):
            if is_test(place[0]) or (place in defaults and effect.maybe):
                continue
            late, *calls = effect.origins
            if effect.maybe:
                says, role = "comes too late in a program that imports it", "imported here"
            else:
                says, role = f"{_RAISES} after it", "too late here"
            yield Foreseen(
                place,
                f"the import of this module starts JAX's backend, so {_JOINS} {says}: make arrays "
                "and keys, and ask for devices, in functions",
                (*((*at, "called here") for at in calls), (*late, role)),
                certain=not effect.maybe,
            )

        for late in programs.too_late:
            if late.kind in (JOINED, OPTION) and not is_test(late.place[0]):
                yield Foreseen(late.place, _said(late), ((*late.early, "starts the backend"),))


def _said(late: TooLate) -> str:
    if late.kind == JOINED:
        what = f"{_JOINS} in `{late.setting}`" if late.setting else _JOINS
        effect = _RAISES
    else:
        what, effect = f"`{late.setting}`", READ_AT_START[late.setting]
    return f"{what} {effect}: `{late.by}` has started the backend; do it before"
