from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.called import CALLED_POLICY
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class CheckpointPolicyCalled(Rule):
    """Calls a policy of `jax.checkpoint` instead of passing it.

    ## What happens
    A policy is a function that is asked about each operation. `everything_saveable()` is `True`:
    `TypeError: 'bool' object is not callable`. `dots_saveable()` misses its argument, also a
    `TypeError`. `nothing_saveable()` is `False`, which works by chance: it is taken as no policy.

    ## Instead
    `policy=jax.checkpoint_policies.dots_saveable`, without the parentheses.

    ## Not reported
    Functions that make a policy, like `save_only_these_names("a")`, and a policy that asks another
    one: `dots_saveable(prim, *args, **params)`.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                policy = jax.checkpoint_policies.everything_saveable()  # ! checkpoint-policy-called
                layer = jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)), policy=policy)
                gradient = jax.grad(layer)(1.0)
            """,
            good="""
                import jax
                import jax.numpy as jnp

                policy = jax.checkpoint_policies.everything_saveable
                layer = jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)), policy=policy)
                gradient = jax.grad(layer)(1.0)
            """,
            raises="'bool' object is not callable",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(CALLED_POLICY):
            yield Foreseen(
                (fault.path, fault.span),
                f"`{fault.text[0]}` is itself the policy: pass it without calling it",
                fault.places,
                fault.certain,
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        if not isinstance(node, cst.Call):
            return None
        return Rewrite("pass the policy", (Change(node, text=text_of(node.func)),))
