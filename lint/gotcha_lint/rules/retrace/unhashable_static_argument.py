from collections.abc import Iterator

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.jitted import called_name, static_arguments
from gotcha_lint.rule import Example, Report, Rule, text_of

_WORDS = {Kind.ARRAY: "jax.Array", Kind.HOST: "numpy array"}


class UnhashableStaticArgument(Rule):
    """Passes a list, dict, set or array as a static argument.

    ## What happens
    `ValueError: Non-hashable static arguments are not supported. An error occurred while trying to
    hash an object of type <class 'list'>`. Static arguments are looked up by hash and equality.

    ## Instead
    A tuple or a frozen dataclass of plain values; arrays are ordinary arguments.
    """

    severity = "error"
    roots = frozenset({"static_argnums", "static_argnames"})
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnums=1)
                def reshape(x, shape):
                    return x.reshape(shape)


                reshape(jnp.ones(6), [2, 3])  # ! unhashable-static-argument
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnums=1)
                def reshape(x, shape):
                    return x.reshape(shape)


                reshape(jnp.ones(6), (2, 3))
            """,
            raises="Non-hashable static arguments",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        for argument in static_arguments(site):
            word = _unhashable(argument.value)
            if word:
                yield Report(
                    argument.node,
                    f"`{text_of(argument.node)}` is a {word}, but `{argument.name or 'this'}` is a "
                    f"static argument of `{called_name(site)}`, which must be hashable",
                )


def _unhashable(value: Value) -> str:
    if value.maybe:
        return ""
    if value.kind is Kind.LIST:
        return value.of if value.of in ("list", "dict", "set") else ""
    return _WORDS.get(value.kind, "")
