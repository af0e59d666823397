from collections.abc import Iterator

import libcst as cst

from gotcha_lint.facts.deprecated import ARGUMENTS, DEPRECATED, JIT_ARGUMENTS, POSITIONAL
from gotcha_lint.facts.releases import Removed
from gotcha_lint.facts.removed import REMOVED
from gotcha_lint.interpret.faults.remarks import LIBRARY_NAME
from gotcha_lint.patterns.local.library_names import BY_POSITION, OF_VARIABLE
from gotcha_lint.rule import Example, Foreseen, Rewrite, Rule
from gotcha_lint.rule_helpers.renaming import renamed
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree

_VALUE_WARNS = (0, 12)  # of Flax
_VALUE = (
    "`value` of a variable of nnx is deprecated in flax 0.12; use `variable[...]` for an array, "
    "else `get_value()` and `set_value(x)`"
)


class DeprecatedApi(Rule):
    """Uses a function or argument that still works, with a warning that it will go.

    ## What happens
    `DeprecationWarning: optax.global_norm is deprecated in favor of optax.tree.norm`. Python shows
    such warnings in the main file and in tests only, so most are never seen, until a release that
    no longer has the name.

    ## Instead
    The message names the replacement; where it takes the same arguments the fix puts it in.

    ## Not reported
    Uses inside `try` with `except ImportError` or `AttributeError`, and behind a question for the
    version or for the name itself; what warns only from a release later than `target-jax`,
    `target-flax` or `target-optax`.
    What is gone in that release is `removed-api`.

    ## The price
    A warning. The run, with the release that no longer has the name.

    ## References
    https://docs.jax.dev/en/latest/changelog.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import warnings

                import jax.numpy as jnp
                import optax

                grads = {"w": jnp.ones(3)}
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    norm = optax.global_norm(grads)  # ! deprecated-api
            """,
            good="""
                import warnings

                import jax.numpy as jnp
                import optax

                grads = {"w": jnp.ones(3)}
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    norm = optax.tree.norm(grads)
            """,
            shows="any('deprecated' in str(one.message) for one in caught)",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LIBRARY_NAME):
            name, argument, _ = fault.text
            text = self._argument(name, argument) if argument else self._name(name)
            if text:
                yield Foreseen((fault.path, fault.span), text, hint="" if argument else name)

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        row = DEPRECATED.get(hint)
        return renamed(hint, row, node, statement, file) if row is not None else None

    def _name(self, name: str) -> str:
        row = DEPRECATED.get(name)
        if row is None or not self._warns(name, row):
            return ""
        instead = f"; use {row.instead}" if row.instead else ""
        return f"`{name}` is deprecated in {row.by}{instead}"

    def _argument(self, name: str, argument: str) -> str:
        if argument == OF_VARIABLE:
            return _VALUE if self.options.has_reached("flax", _VALUE_WARNS) else ""
        if argument in JIT_ARGUMENTS and name == "jax.jit":
            return f"`{argument}` of `jax.jit` is deprecated; use jax.device_put"
        if argument == BY_POSITION:
            most, since = POSITIONAL[name]
            text = f"`{name}` takes {most} arguments by position; name the others"
            return text if since <= self.options.target_jax else ""
        _, word, instead = ARGUMENTS.get(name, (0, "", ""))
        short = name.rpartition(".")[2]
        return f"`{word}` of `{short}` is deprecated: {instead}" if word == argument else ""

    def _warns(self, name: str, row: Removed) -> bool:
        gone, reached = REMOVED.get(name), self.options.has_reached
        return reached(row.library, row.since) and (
            gone is None or not reached(gone.library, gone.since)
        )
