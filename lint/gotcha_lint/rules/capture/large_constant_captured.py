from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import KIB, MIB, called, listed, size
from gotcha_lint.solve.captured import name_of
from gotcha_lint.solve.compiled_functions import Capture, CompiledFunction, Place
from gotcha_lint.solve.programs import Programs


class LargeConstantCaptured(Rule):
    """Captures a large array in a jitted function: it is baked into the program.

    ## What happens
    A captured array is a constant of the traced program, of the text that is compiled, and of the
    executable, once per compiled shape: a table of 67 MB made 134 MB of program text and compiled
    in 0.55 s instead of 0.007 s. JAX warns of it only above 2 GB
    (`jax_captured_constants_warn_bytes`).

    ## Instead
    Pass the array as an argument: it stays where it is, and is not copied.

    ## Not reported
    Small arrays, and arrays whose size is not known (those of a file), unless they are the weights
    that a model's `apply` is given: those are large, wherever they come from.
    """

    confirmed_by = (("large-constant-captured", ""),)
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                table = jnp.zeros((1024, 1024))


                @jax.jit
                def look_up(i):
                    return table[i]  # ! large-constant-captured


                size = len(look_up.lower(0).as_text())
            """,
            good="""
                import jax
                import jax.numpy as jnp

                table = jnp.zeros((1024, 1024))


                @jax.jit
                def look_up(table, i):
                    return table[i]


                size = len(look_up.lower(table, 0).as_text())
            """,
            unseen="zeros are compressed in the program's text; random numbers would make it slow",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row in programs.compiled.values():
            if row.captures:
                yield _foreseen(row)


def _foreseen(row: CompiledFunction) -> Foreseen:
    """One finding for all that a function captures; small arrays, or unknown ones, only *may*.

    The weights of a model are not small, whatever their size is.
    """
    weights = next((capture for capture in row.captures if capture.is_weights), None)
    if weights is not None:
        return _of_weights(row, weights)
    total = max(capture.total for capture in row.captures)
    whole = max((c for c in row.captures if c.total == total), key=lambda c: c.bytes or 0)
    parts = [c for c in row.captures if c.call is whole.call]
    parts.sort(key=lambda c: -1 if c.bytes is None else -c.bytes)
    names = list(dict.fromkeys(name_of(c.call, c.location) for c in parts))
    unknown = any(c.bytes is None for c in parts)
    known = f"{size(total)} of arrays" if total else "arrays of unknown size"
    also = ", and others of unknown size" if total and unknown else ""
    function = row.function
    place = _read_at(function, whole) if function else row.site.origin
    origins = dict.fromkeys((*c.origin, "made here") for c in parts if c.origin)
    calls: tuple[Place, ...] = ((row.site.path, row.site.span, "compiled here"),)
    if function is None or (whole.call.path, whole.call.span[0]) != (function.path, function.line):
        calls = (*calls, (whole.call.path, whole.call.span, "called here"))  # not by outsiders
    return Foreseen(
        place,
        f"{called(function)} captures {known} ({listed(names)}){also}: they become constants of "
        "each program that is compiled from it; pass them as arguments",
        (*origins, *calls),
        certain=total >= 64 * KIB,
        severity="warning" if total >= MIB else "info",
    )


def _read_at(function: Function, capture: Capture) -> Origin:
    """Where the function itself reads the largest array, or what holds it; else its first line."""
    name = str(capture.location[1])
    for step in steps_of(function):
        read = step[2] if step[0] == "load" else step[3] if step[0] == "attr" else None
        if read == name and name not in function.locals:
            return function.path, step[-1]
    return function.path, (function.line, 1, function.line, 1)


def _of_weights(row: CompiledFunction, capture: Capture) -> Foreseen:
    function, name = row.function, str(capture.location[1])
    used = ((*capture.origin, f"`{name}` is used here"),) if capture.origin else ()
    place = (function.path, (function.line, 1, function.line, 1)) if function else row.site.origin
    return Foreseen(
        place,
        f"{called(function)} captures the weights `{name}`: they become constants of each program "
        "that is compiled from it; pass them as an argument",
        (*used, (row.site.path, row.site.span, "compiled here")),
        severity="info" if row.is_kept else "warning",
    )
