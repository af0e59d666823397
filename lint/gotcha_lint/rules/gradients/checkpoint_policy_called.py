from collections.abc import Iterator

from gotcha_lint.analysis.sites import Call
from gotcha_lint.facts.remat import POLICIES
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of


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
    roots = frozenset({"checkpoint_policies"})
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

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in POLICIES or site.node.args or expected_to_fail(site.body, site.node):
            return
        word = site.name.rpartition(".")[2]
        change = Change(site.node, text=text_of(site.node.func))
        yield Report(
            site.node,
            f"`{word}` is itself the policy: pass it without calling it",
            Rewrite("pass the policy", (change,)),
        )
