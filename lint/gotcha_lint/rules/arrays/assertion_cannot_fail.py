"""An assertion that holds whatever was computed."""

from collections.abc import Iterator

from gotcha_lint.patterns.local.vain_assertions import VainAssertion, vain_assertions
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class AssertionCannotFail(Rule):
    """Asserts what is true whatever was computed.

    ## What happens
    The test passes, and checks nothing. `jax.tree.flatten` gives a pair, the leaves and the
    structure, so `all(jax.tree.flatten(equal))` asks whether both of them are true: a list with
    elements is. `all(jax.tree.map(...))` goes through the keys of a dict, and a key that is a text
    is true. `assert (same, "message")` asserts a tuple. The second argument of `assertTrue(a, b)`
    is the message. `assert_allclose(x, x)` compares an array with itself.

    ## Instead
    `all(jax.tree.leaves(equal))`, or `jax.tree.all(equal)`; `assert same, "message"`;
    `assertEqual(a, b)`.

    ## Not reported
    `all(jax.tree.map(...))` of a tree that may be a flat list is shown with `--all`.

    ## In a run
    Nothing.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.tree.all.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                a, b = {"w": jnp.zeros(2)}, {"w": jnp.ones(2)}
                same = jax.tree.map(jnp.allclose, a, b)
                verdict = all(jax.tree.flatten(same))  # ! assertion-cannot-fail
            """,
            good="""
                import jax
                import jax.numpy as jnp

                a, b = {"w": jnp.zeros(2)}, {"w": jnp.ones(2)}
                same = jax.tree.map(jnp.allclose, a, b)
                verdict = all(jax.tree.leaves(same))
            """,
            shows="verdict",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.origins.links.bodies(text.module):
                for one in vain_assertions(text.origins, function):
                    yield Foreseen((function.path, one.span), _words(one), certain=one.certain)


def _words(one: VainAssertion) -> str:
    word = one.word
    if one.kind == "flattened":
        return (
            f"`{word}` asks whether the list of the leaves and the structure are true, not the "
            "leaves: it is always true; use `jax.tree.leaves`"
        )
    if one.kind == "mapped":
        what = "goes" if one.certain else "may go"
        return (
            f"`{word}` {what} through the keys of a dict here, which are true, and not through "
            "the leaves; use `jax.tree.leaves`"
        )
    if one.kind == "tuple":
        return f"a {word} that is not empty is always true: this assertion cannot fail"
    if one.kind == "message":
        return (
            f"the second argument of `{word}` is the message, and nothing compares it: use "
            "`assertEqual`"
        )
    return f"`{word}` compares this with itself, so it cannot fail"
