from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis import varying
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.growing import is_longer
from gotcha_lint.queries.jitted import Argument, called_name, compiled, static_arguments
from gotcha_lint.queries.jitted import arguments as given
from gotcha_lint.queries.places import is_hot, long_loops
from gotcha_lint.queries.turns import differs
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import called, each_turn, loop_places, variations
from gotcha_lint.solve.programs import Programs

_OWN = {
    "own-maximum": "is as long as the longest item of its batch",
    "own-length": "is cut to its own length",
    "selection": "has as many rows as pass a test",
    "random": "has a size that is drawn at random",
    varying.CALLED: "has another shape at each call of this function",
}
_CURE = "round lengths up to a few fixed ones"
_AHEAD = ("precompile", "warmup", "warm_up")
_SIZES = ("size", "length", "count")


class VaryingShape(Rule):
    """Gives a jitted function arrays whose shape changes from call to call.

    ## What happens
    `jax.jit` keeps one program per shape: batches padded to their own longest item had 17
    different lengths among 20 and compiled 17 times (1 to 3 times with fixed lengths). Every
    program stays in memory, about 1.6 MB for a function of two matrix products.

    ## Instead
    Round lengths up to a few (64, 128, 256) and mask; pass `x` and an index, not `x[:i]`, and a
    mask, not `x[mask]`.

    ## Not reported
    Loops of a `precompile` or `warmup` function, which compile ahead of time for each size.
    """

    roots = frozenset({"jit", "pmap", "shard_map"})
    confirmed_by = (("recompile", "shape"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def score(tokens):
                    return jnp.sum(tokens)


                texts = [[0] * length for length in range(1, 7)]
                for pair in zip(texts[::2], texts[1::2]):
                    longest = max(len(text) for text in pair)
                    score(np.zeros((2, longest)))  # ! varying-shape
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def score(tokens):
                    return jnp.sum(tokens)


                texts = [[0] * length for length in range(1, 7)]
                for pair in zip(texts[::2], texts[1::2]):
                    longest = max(len(text) for text in pair)
                    score(np.zeros((2, -(-longest // 64) * 64)))
            """,
            compiles=2,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(x):
                    return jnp.sum(x)


                for i in range(1, 8):
                    total(jnp.ones(8)[:i])  # ! varying-shape
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(x, n):
                    return jnp.sum(jnp.where(jnp.arange(x.shape[0]) < n, x, 0))


                for i in range(1, 8):
                    total(jnp.ones(8), i)
            """,
            compiles=5,
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if compiled(site) is None or is_test(site.body.model.path) or _is_warm_up(site):
            return
        static = {id(argument.node) for argument in static_arguments(site)}
        for argument in given(site):
            mark = _own_length(argument.node) or varying.shown(argument.value)
            if id(argument.node) in static or not mark or not _counts(site, argument, mark):
                continue
            yield Report(argument.node, _message(site, argument, mark), why_hot=True)
            return

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for call, constant in programs.settled.items():
            yield Foreseen(call, "all shapes are constant", certain=constant, denies=True)
        for row, variation in variations(programs, "shape"):
            call = variation.call
            if any(word in call.within.name.lower() for word in _AHEAD):
                continue
            each = each_turn(variation.loops, call.path)
            yield Foreseen(
                (call.path, call.span),
                f"axis {variation.axis} of `{variation.label}` has another size at each {each}: "
                f"{called(row.function)} compiles one program for each size; {_CURE}",
                (*variation.places, *loop_places(variation.loops)),
                variation.certain,
            )


def _is_warm_up(site: Call) -> bool:
    """The loop compiles a program for each size ahead of time, on purpose."""
    names = [site.body.function.name, *(name for _, name in site.body.hot)]
    return any(word in name.lower() for name in names for word in _AHEAD)


def _own_length(node: cst.CSTNode) -> str:
    """`episode.seen[: episode.size]`: a buffer, cut to what is in it."""
    match node:
        case cst.Subscript(
            value=cst.Attribute(value=cst.Name(value=whole)),
            slice=[
                cst.SubscriptElement(
                    slice=cst.Slice(
                        lower=None,
                        upper=cst.Attribute(value=cst.Name(value=other), attr=cst.Name(value=size)),
                    )
                ),
                *_,
            ],
        ) if whole == other and size.endswith(_SIZES):
            return "own-length"
    return ""


def _counts(site: Call, argument: Argument, mark: str) -> bool:
    """A loop variable changes while its loop runs; another size with what it is the size of."""
    if mark == "loop-variable":
        return bool(long_loops(site))
    if mark.startswith(varying.GROWN):
        return is_longer(site, mark.removeprefix(varying.GROWN))
    if mark == varying.CALLED:
        return is_hot(site.body)
    return mark in _OWN and differs(site, argument.node)


def _message(site: Call, argument: Argument, mark: str) -> str:
    what, callee = source_of(argument.node, 40), called_name(site)
    if mark.startswith(varying.GROWN):
        grown = mark.removeprefix(varying.GROWN)
        return (
            f"`{what}` is as long as `{grown}`, which grows in each iteration of this loop: "
            f"`{callee}` compiles each time; {_CURE}"
        )
    if mark == "loop-variable":
        return (
            f"`{what}` has another shape in each iteration of this loop: "
            f"`{callee}` compiles each time"
        )
    return f"`{what}` {_OWN[mark]}: `{callee}` compiles again for each new length; {_CURE}"
