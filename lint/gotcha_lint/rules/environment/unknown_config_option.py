from collections.abc import Iterator

from gotcha_lint.facts.options import GONE, OPTIONS, VARIABLES
from gotcha_lint.interpret.faults.settings import (
    OPTION_ASSIGNED,
    OPTION_READ,
    OPTION_SET,
    VARIABLE_SET,
)
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.spelling import meant
from gotcha_lint.solve.programs import Programs


class UnknownConfigOption(Rule):
    """Sets an option of JAX, or an environment variable, by a name that does not exist.

    ## What happens
    `jax.config.update("jax_enable_x46", True)` raises `AttributeError: Unrecognized config option:
    jax_enable_x46`; so does an option that a release has dropped, like `jax_array` or
    `jax_spmd_mode`, and `jax.config.jax_array`, which reads it. A misspelt environment variable,
    `JAX_ENABLE_X46` or `XLA_FLAG`, gives no error and has no effect. `jax.config.jax_enable_x64 =
    True` raises `AttributeError: property of 'Config' object has no setter`, and a misspelt one
    there is silent; so is `jax.default_matmul_precision = "highest"`, which replaces a function of
    that name.

    ## Instead
    `jax.config.update("jax_enable_x64", True)`; `JAX_ENABLE_X64`.

    ## Not reported
    Names that resemble no known one: they may belong to another program, or to a later release.
    Variables that the same file reads; options that are gone only from a release later than
    `target-jax` on; uses inside `try`, or behind a question for the version or the name; tests.

    ## In a run
    The `AttributeError` is explained under this name. Of the variable a run shows nothing.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                jax.config.update("jax_enable_x46", True)  # ! unknown-config-option
            """,
            good="""
                import jax

                jax.config.update("jax_enable_x64", True)
            """,
            raises="Unrecognized config option",
        ),
        Example(
            bad="""
                import os

                os.environ["JAX_ENABLE_X46"] = "1"  # ! unknown-config-option

                import jax.numpy as jnp

                x = jnp.ones(3)
            """,
            good="""
                import os

                os.environ["JAX_ENABLE_X64"] = "1"

                import jax.numpy as jnp

                x = jnp.ones(3)
            """,
            shows="os.environ.get('JAX_ENABLE_X64') is None",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        tell = {
            OPTION_SET: self._set,
            OPTION_READ: self._set,
            OPTION_ASSIGNED: _assigned,
            VARIABLE_SET: _variable,
        }
        for fault in programs.faults.of(*tell):
            message = tell[fault.kind](fault.text[0])
            if message:
                yield Foreseen((fault.path, fault.span), message)

    def _set(self, name: str) -> str:
        if name in OPTIONS:
            return ""
        gone = GONE.get(name)
        if gone is None:
            right = _meant(name)
            return f"JAX has no option `{name}`; it is called `{right}`" if right else ""
        if gone.since > self.options.target_jax:
            return ""
        release = ".".join(map(str, gone.since))
        cure = f"; use {gone.instead}" if gone.instead else ""
        return f"the option `{name}` is gone since jax {release}: AttributeError{cure}"


def _assigned(name: str) -> str:
    right = name if name in OPTIONS else _meant(name)
    cure = f'call `jax.config.update("{right}", ...)`'
    return f"options of JAX cannot be assigned; {cure}" if right else ""


def _variable(name: str) -> str:
    right = meant(name, VARIABLES)
    return f"nothing reads `{name}`; the variable is called `{right}`" if right else ""


def _meant(name: str) -> str:
    return f"jax_{name}" if f"jax_{name}" in OPTIONS else meant(name, OPTIONS)
