"""A state that each step replaces, and whose memory is not donated."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.events import CompiledCall, Replaced
from gotcha_lint.program.kept_values import is_kept
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve.compiled_functions import CompiledFunction
from gotcha_lint.solve.programs import Programs

_LARGE = 16 << 20  # bytes: from here on it is worth a note, whatever else is known


class MissingDonation(Rule):
    """Keeps the old state in memory while the new one is computed.

    ## What happens
    `state = step(state, batch)` needs room for both states until the call is done: parameters and
    the optimizer's state are in memory twice. With a donated argument XLA writes the new state
    where the old one was.

    ## Instead
    Donate the argument, as in `jax.jit(step, donate_argnums=0)`, and do not use the old state after
    the call.

    ## Not reported
    What something keeps, as `queue.put(state.params)`: it needs the old arrays. What is known to
    have less than 1 MiB. What no optimizer updates (a cache, an image that is
    sampled) and is not known to have 16 MiB is shown with `--all`, and so is what a jit with
    `donate_argnums` leaves out.

    ## References
    https://docs.jax.dev/en/latest/buffer_donation.html
    """

    severity = "info"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit  # ! missing-donation
                def step(weights):
                    return weights * 0.99


                weights = jnp.ones((4096, 4096))
                memory = step.lower(weights).compile().memory_analysis()
                for _ in range(3):
                    weights = step(weights)
            """,
            good="""
                import functools

                import jax
                import jax.numpy as jnp


                @functools.partial(jax.jit, donate_argnums=0)
                def step(weights):
                    return weights * 0.99


                weights = jnp.ones((4096, 4096))
                memory = step.lower(weights).compile().memory_analysis()
                for _ in range(3):
                    weights = step(weights)
            """,
            shows="memory.alias_size_in_bytes == 0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row in programs.compiled.values():
            replaced = {
                name: (call, each)
                for name, (call, each) in row.replaced.items()
                if not is_kept(call.within, name)
            }
            if replaced:
                yield _foreseen(row, replaced)


def _foreseen(
    row: CompiledFunction, replaced: dict[str, tuple[CompiledCall, Replaced]]
) -> Foreseen:
    names = "`, `".join(replaced)
    found = [each for _, each in replaced.values()]
    sizes = [each.size for each in found if each.size is not None]
    room = f" ({sum(sizes) >> 20:,} MiB)" if sum(sizes) >= _LARGE else ""
    calls = {(call.path, call.span): None for call, _ in replaced.values()}
    return Foreseen(
        (row.site.path, row.site.span),
        f"{called(row.function)} makes the next `{names}`{room} without donating the old: both are "
        f"in memory at once; {_option(found)} reuses that memory",
        tuple((*place, "replaced here") for place in calls),
        certain=(sum(sizes) >= _LARGE or any(each.trains for each in found))
        and not any(each.left_out for each in found),
    )


def _option(found: list[Replaced]) -> str:
    """The option of `jit` that donates them, to be copied, where all of their places are known."""
    arguments = [each.argument for each in found]
    numbers = sorted(each for each in arguments if isinstance(each, int))
    names = [each for each in arguments if isinstance(each, str)]
    for option, known in (("donate_argnums", numbers), ("donate_argnames", names)):
        if len(known) == len(found):
            value = repr(known[0]) if len(known) == 1 else repr(tuple(known))
            return f"`{option}={value}`".replace("'", '"')
    return "donation"
