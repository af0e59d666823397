import re
from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.facts.options import UPDATES
from gotcha_lint.queries.started import makes_array
from gotcha_lint.rule import Example, Report, Rule, text_of

_SETTING = "jax_enable_x64"
_NARROW = re.compile(r"(?:f|float|int|uint|bits?_?)32|32_?bit")


class X64SetTooLate(Rule):
    """Switches 64-bit arrays on after arrays were made.

    ## What happens
    There is no error and no warning. The arrays made before stay float32, those made after are
    float64: results mix both, and every function that has compiled for the one compiles again for
    the other.

    ## Instead
    `jax.config.update("jax_enable_x64", True)` directly below the imports.
    """

    severity = "warning"
    roots = frozenset({_SETTING})
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
        if site.trace is not None:
            return
        switches = [call for call in site.of(Call) if _values(call)]
        if any(value is not True for call in switches for value in _values(call)):
            return  # switched off again: a test of both
        arrays = [call for call in site.of(Call) if makes_array(call) and not _says_so(call)]
        for call in switches:
            early = next((c for c in arrays if c.at.surely_before(call.at)), None)
            if early is not None:
                yield Report(
                    call.node,
                    f"64-bit arrays are switched on after `{text_of(early.node.func)}` has made "
                    "an array of 32 bits; do it directly below the imports",
                    places=((early.node, "made with 32 bits"),),
                )


def _says_so(call: Call) -> bool:
    """`error_f32 = ...`, `jnp.ones(3, jnp.float32)`: of 32 bits on purpose."""
    return _NARROW.search(text_of(call.at.statement)) is not None


def _values(call: Call) -> list[object]:
    """What the call sets it to, by itself or by a function for settings."""
    if call.name in UPDATES and len(call.args) == 2:
        return [call.args[1].literal] if call.args[0].literal == _SETTING else []
    body = call.body
    told = (
        body.usage.sets.get(target, ()) for target in call.callee.targets if not call.callee.via
    )
    return [value for settings in told for name, value in settings if name == _SETTING]
