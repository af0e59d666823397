from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.interpret.faults.remarks import LEAF
from gotcha_lint.rule import HERE, Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs


class DictValuesLeaf(Rule):
    """Gives `d.values()`, `zip(...)` or a generator where JAX wants a pytree.

    ## What happens
    These are no pytrees: JAX takes the whole iterator for one leaf. A compiled function raises
    `TypeError: Error interpreting argument to <function step> as an abstract array. The problematic
    value is of type <class 'dict_values'>`. `jax.tree.map` calls its function once, with the
    iterator; `jax.tree.leaves` gives a list of one; `jax.block_until_ready` waits for nothing.
    JAX warns: `Python iterable type 'dict_values' is treated as a leaf in PyTree. In a future
    version of JAX, this will become an error.`

    ## Instead
    `list(d.values())`, or the dict itself; a list comprehension for a generator.

    ## Not reported
    Iterators that come as an argument or from another function, and calls with `is_leaf`.

    ## In a run
    JAX's own error and its warning say it.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(arrays):
                    return sum(x.sum() for x in arrays)


                losses = {"a": jnp.ones(2), "b": jnp.ones(3)}
                total(losses.values())  # ! dict-values-leaf
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(arrays):
                    return sum(x.sum() for x in arrays)


                losses = {"a": jnp.ones(2), "b": jnp.ones(3)}
                total(list(losses.values()))
            """,
            raises="Error interpreting argument",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                layers = [jnp.ones(2), jnp.ones(3)]
                sizes = jax.tree.leaves(x * 2 for x in layers)  # ! dict-values-leaf
            """,
            good="""
                import jax
                import jax.numpy as jnp

                layers = [jnp.ones(2), jnp.ones(3)]
                sizes = jax.tree.leaves([x * 2 for x in layers])
            """,
            shows="len(sizes) == 1",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LEAF):
            kind, taker, fix = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{HERE}` is a {kind}, which is not a pytree: {taker} takes it for one leaf; "
                "make it a list",
                hint=fix,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel
    ) -> Rewrite | None:
        if hint == "list":
            return Rewrite("make it a list", (Change(node, before="list(", after=")"),))
        if hint == "brackets" and isinstance(node, cst.GeneratorExp) and not node.lpar:
            return Rewrite("make it a list", (Change(node, before="[", after="]"),))
        return None
