from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import REBUILT_TUPLE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class NamedtupleRebuiltByType(Rule):
    """Rebuilds a tuple with `type(x)(items)`, which fails for named tuples.

    ## What happens
    `TypeError: __new__() missing 1 required positional argument`. A named tuple wants its fields
    one by one, a plain tuple wants one iterable. Every state of optax is a named tuple.

    ## Instead
    `jax.tree.map` rebuilds all containers. By hand: `x._make(items)` where `x` has `_fields`.
    """

    severity = "error"
    confidence = "medium"
    confirmed_by = (("namedtuple-rebuilt-by-type", ""),)
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax


                def halve(x):
                    if isinstance(x, (list, tuple)):
                        return type(x)(halve(v) for v in x)  # ! namedtuple-rebuilt-by-type
                    if isinstance(x, dict):
                        return {k: halve(v) for k, v in x.items()}
                    return x / 2


                state = halve(optax.adam(1e-3).init({"w": jnp.ones(3)}))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax


                def halve(x):
                    return jax.tree.map(lambda v: v / 2, x)


                state = halve(optax.adam(1e-3).init({"w": jnp.ones(3)}))
            """,
            raises="missing 2 required positional arguments",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(REBUILT_TUPLE):
            yield Foreseen(
                (fault.path, fault.span),
                f"`{fault.text[0]}` of a named tuple expects its fields one by one and raises "
                "TypeError; use `jax.tree.map`, or `_make`",
            )
