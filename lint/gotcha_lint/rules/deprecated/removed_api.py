from collections.abc import Iterator

import libcst as cst

from gotcha_lint.facts.removed import KEYWORDS, REMOVED
from gotcha_lint.interpret.faults.remarks import CALLED_DEVICE, LIBRARY_NAME
from gotcha_lint.patterns.local.library_names import (
    GONE_OF_ARRAYS,
    GONE_OF_PARAMETERS,
    OF_ARRAY,
    OF_PARAMETERS,
)
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.rule_helpers.renaming import renamed
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree

_PLAIN_DICTS = (0, 7, 1)


class RemovedApi(Rule):
    """Uses a function, module or argument that JAX, Flax or Optax no longer has.

    ## What happens
    `AttributeError: module 'jax' has no attribute 'tree_map'`, or `ImportError` as soon as the file
    is imported. Code that asks `hasattr` first silently does nothing from that release on.

    ## Instead
    The message names the replacement; where it takes the same arguments the fix puts it in. The
    releases to check against are those of `target-jax`, `target-flax` and `target-optax`.

    ## Not reported
    Uses inside `try` with `except ImportError` or `AttributeError`, and behind a question for the
    version or for the name itself. Methods of a `FrozenDict`, which parameters were until flax
    0.7.1, where the program makes one by `freeze`.

    ## References
    https://docs.jax.dev/en/latest/changelog.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                params = {"w": jnp.ones(3)}
                doubled = jax.tree_map(lambda w: 2 * w, params)  # ! removed-api
            """,
            good="""
                import jax
                import jax.numpy as jnp

                params = {"w": jnp.ones(3)}
                doubled = jax.tree.map(lambda w: 2 * w, params)
            """,
            raises="module 'jax' has no attribute 'tree_map'",
        ),
        Example(
            bad="""
                import jax.numpy as jnp

                clipped = jnp.clip(jnp.arange(5), a_min=1, a_max=3)  # ! removed-api, removed-api
            """,
            good="""
                import jax.numpy as jnp

                clipped = jnp.clip(jnp.arange(5), min=1, max=3)
            """,
            raises="got an unexpected keyword argument",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LIBRARY_NAME):
            name, argument, is_set = fault.text
            if argument == OF_ARRAY:
                text = f"arrays no longer have `{name}`; use {GONE_OF_ARRAYS[name]}"
                yield Foreseen((fault.path, fault.span), text, hint=OF_ARRAY)
                continue
            if argument == OF_PARAMETERS:
                if self.options.has_reached("flax", _PLAIN_DICTS):
                    text = (
                        f"parameters are plain dicts since flax 0.7.1, {GONE_OF_PARAMETERS[name]}"
                    )
                    yield Foreseen((fault.path, fault.span), text, hint=OF_PARAMETERS)
                continue
            row = KEYWORDS.get(name, {}).get(argument) if argument else REMOVED.get(name)
            if row is None or is_set or not self.options.has_reached(row.library, row.since):
                continue
            instead = f"; use {row.instead}" if row.instead else ""
            text = f"`{name}` is gone from {row.by}"
            if argument:
                text = f"`{name}` no longer takes `{argument}`"
            yield Foreseen((fault.path, fault.span), text + instead, hint=name)
        for fault in programs.faults.of(CALLED_DEVICE):
            yield Foreseen(
                (fault.path, fault.span),
                "`device` of an array is an attribute now; calling it raises TypeError",
                certain=fault.certain,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        match node:
            case cst.Arg(keyword=cst.Name(value=word) as keyword):
                row = KEYWORDS[hint][word]
                change = Change(keyword, row.instead)
                return Rewrite(f"call it `{row.instead}`", (change,)) if row.rename else None
            case cst.Call(func=func) if not hint:
                return Rewrite("drop the call", (Change(node, like=func),))
            case _ if hint in (OF_ARRAY, OF_PARAMETERS):
                return None
        return renamed(hint, REMOVED[hint], node, statement, file)
