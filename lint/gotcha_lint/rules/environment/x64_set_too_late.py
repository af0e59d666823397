from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.queries.started import makes_array
from gotcha_lint.rule import Example, Report, Rule, text_of

_UPDATES = frozenset({"jax.config.update", "jax.config.config.update"})


class X64SetTooLate(Rule):
    """Switches 64-bit arrays on after arrays were made.

    ## What happens
    It is accepted without a word. The arrays made before stay float32, those made after are
    float64: results mix both, and every function that has compiled for the one compiles again for
    the other.

    ## Instead
    `jax.config.update("jax_enable_x64", True)` directly below the imports.
    """

    severity = "warning"
    roots = frozenset({"jax_enable_x64"})
    confirmed_by = (("x64-set-too-late", ""), ("recompile", "dtype"))
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                scale = jnp.ones(3)
                jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
                shift = jnp.ones(3)
            """,
            good="""
                import jax
                import jax.numpy as jnp

                jax.config.update("jax_enable_x64", True)
                scale = jnp.ones(3)
                shift = jnp.ones(3)
            """,
            shows="scale.dtype != shift.dtype",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        switches = [call for call in site.of(Call) if _switches(call)]
        if site.trace is not None or any(call.args[1].literal is not True for call in switches):
            return  # switched off again: a test of both
        for call in switches:
            early = next((c for c in site.of(Call) if makes_array(c) and _before(c, call)), None)
            if early is not None:
                yield Report(
                    call.node,
                    f"64-bit arrays are switched on after `{text_of(early.node.func)}` has made "
                    "an array of 32 bits; do it directly below the imports",
                    places=((early.node, "made with 32 bits"),),
                )


def _switches(call: Call) -> bool:
    named = call.name in _UPDATES and len(call.args) == 2
    return named and call.args[0].literal == "jax_enable_x64"


def _before(early: Call, late: Call) -> bool:
    """Certainly runs before: in the same branch, or outside of all."""
    return (
        early.at.order < late.at.order and late.at.guards[: len(early.at.guards)] == early.at.guards
    )
