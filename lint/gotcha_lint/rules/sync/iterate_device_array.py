from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.element_reads import ENTRY
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called, last_call, loop_places
from gotcha_lint.solve.programs import Programs

_SHOWN = ("__repr__", "__str__", "__format__", "_repr_html_", "_repr_pretty_")  # interactively


class IterateDeviceArray(Rule):
    """Reads the elements of a device array on the host, one by one.

    ## What happens
    No error. `for v in array` and `array[i]` make a new array on the device for each element, and
    `float(v)`, `v.item()`, `print(v)` or `if v > 0` then wait for it and copy it to the host: one
    round trip for each element, where one would do for all.

    ## Instead
    Fetch it once: `for v in np.asarray(array)`, or `array.tolist()`.

    ## Not reported
    Loops whose elements stay on the device, rows given to a jitted step, say; keys of
    `jax.random.split`; arrays that change in the loop; loops of a few iterations; tests; `__repr__`
    and similar ones; arguments, also those that an annotation calls arrays; elements that a
    function of the project asks.

    With `--all`, as `info`: a loop of a script that runs once, over an array of unknown length; a
    loop that fetches the arrays of a dictionary, or the leaves of a tree, one after the other, or
    copies the results of whole batches from a list, `[np.asarray(out) for out in outs]`.

    ## In a run
    The sanitizer says nothing: each read by itself is right.
    """

    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                scores = jnp.linspace(0.0, 1.0, 50)
                ranks = jnp.argsort(scores)
                good = [float(score) for score in scores if score > 0.5]  # ! iterate-device-array
                for i in range(50):
                    print(i, int(ranks[i]))  # ! iterate-device-array
            """,
            good="""
                import jax.numpy as jnp
                import numpy as np

                scores = np.asarray(jnp.linspace(0.0, 1.0, 50))
                ranks = np.asarray(jnp.argsort(jnp.asarray(scores)))
                good = [float(score) for score in scores if score > 0.5]
                for i in range(50):
                    print(i, int(ranks[i]))
            """,
            unseen="each read waits for the device; how long depends on it",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        seen: set[Origin] = set()
        for (path, span), effect in sorted(
            programs.effects["element"].items(), key=lambda item: (item[1].maybe, item[0])
        ):
            array = effect.origins[0] if effect.origins else (path, span)
            if array not in seen and effect.within.name not in _SHOWN:
                yield Foreseen(
                    (path, span),
                    "this fetches an element of an array from the device at each iteration of the "
                    "loop: fetch them all before it, with `np.asarray`",
                    tuple((*at, "the array") for at in effect.origins),
                    not effect.maybe,
                )
            seen.add(array)
        for place, effect in programs.effects[ENTRY].items():
            yield Foreseen(
                place,
                "this fetches one array after the other from the device: fetch the whole "
                "dictionary or tree before the loop, with one `jax.device_get`",
                tuple((*at, "called here") for at in last_call(effect)),
                certain=False,
            )
        for one in programs.elements:
            yield Foreseen(
                (one.read.path, one.read.span),
                f"this reads one result of {called(one.call.function)} from the device at each "
                "iteration of the loop: fetch the whole list before it, with `jax.device_get`",
                (
                    (*one.made, "the list"),
                    (one.call.path, one.call.span, "its elements are made here"),
                    *loop_places(frozenset((one.loop,))),
                ),
                certain=not (one.few or one.large),
            )
