from collections.abc import Iterator

from gotcha_lint.analysis.limits import is_guarded
from gotcha_lint.analysis.reaching import Reaching
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import holds
from gotcha_lint.queries.gradients import differentiated, given_gradients
from gotcha_lint.queries.singular import asks_for, conditions, singular
from gotcha_lint.rule import Example, Foreseen, Report, Rule, text_of
from gotcha_lint.solve.programs import Programs

_WHERE = frozenset({"jax.numpy.where", "jax.lax.select"})


class WhereNanGradient(Rule):
    """Guards a root, logarithm or division by `where` outside of it, in a differentiated function.

    ## What happens
    The value is right, the gradient is NaN at exactly the guarded points, and one such point makes
    all gradients NaN. `where` sends a zero back into the branch that was not taken, and there the
    derivative is infinite: 0 * inf is NaN.

    ## Instead
    Guard the input too, so that the function never sees the bad point:
    `jnp.sqrt(jnp.where(x > 0, x, 1.0))` inside of the outer `where`.

    ## Not reported
    Code that no gradient runs through, values that only reach the auxiliary output, and inputs that
    are limited already.
    """

    severity = "error"
    preview = True
    roots = frozenset({"grad", "jacobian", "jacfwd", "jacrev", "hessian", "where"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(x):
                    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))  # ! where-nan-gradient


                grads = jax.grad(loss)(jnp.array([0.0, 1.0]))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(x):
                    safe = jnp.where(x > 0, x, 1.0)
                    return jnp.sum(jnp.where(x > 0, jnp.sqrt(safe), 0.0))


                grads = jax.grad(loss)(jnp.array([0.0, 1.0]))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    total = jnp.sum(w * x)
                    return jnp.where(total != 0, w[0] / total, 0.0)  # ! where-nan-gradient


                grads = jax.grad(loss)(jnp.ones(2), jnp.zeros(2))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x):
                    total = jnp.sum(w * x)
                    safe = jnp.where(total != 0, total, 1.0)
                    return jnp.where(total != 0, w[0] / safe, 0.0)


                grads = jax.grad(loss)(jnp.ones(2), jnp.zeros(2))
            """,
            shows="bool(jnp.isnan(grads).any())",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        if site.name not in _WHERE or len(site.args) != 3 or not differentiated(body, modules=True):
            return
        if not given_gradients(body, modules=True):
            return  # a helper: the gradient may be of something else than its arguments
        flowing = Reaching(body, site.at)
        test = site.arg_node(0)
        asked = list(conditions(flowing, test)) if test is not None else []
        if any(
            "nan" in text_of(node)
            for node in (site.arg_node(1), site.arg_node(2))
            if node is not None
        ):
            return  # a report for people, who are told that there is no number
        for branch in (1, 2) if asked else ():
            node = site.arg_node(branch)
            root = flowing.resolve(node) if node is not None else None
            for found in singular(body, root) if root is not None else ():
                if not any(c.away == (branch == 1) and asks_for(flowing, c, found) for c in asked):
                    continue
                if is_guarded(flowing, found.inner) or not flowing.from_parameters(found.node):
                    continue
                if not flowing.to_the_loss(site.node):
                    return
                inner = text_of(found.inner)
                inside = holds(site.node, found.node)
                yield Report(
                    site.node,
                    f"{found.word} is guarded outside only: where `{inner}` is excluded its "
                    "gradient is NaN; limit the input as well",
                    places=() if inside else ((found.node, "the unguarded part"),),
                    why_traced=True,
                )
                return

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("guarded pole"):
            (word,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"{word} is guarded outside only: where its operand is excluded its gradient is "
                "NaN; limit the input as well",
                fault.places,
                fault.certain,
            )
