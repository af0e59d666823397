"""A random key drawn from twice."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.random import COMPARES, DUMMY_COMMENTS, SAME_SEED
from gotcha_lint.patterns.ignored_keys import ignored_keys
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.same_keys import (
    chain,
    is_meant,
    may_be,
    told,
    uses_before,
)
from gotcha_lint.solve.keys import Reuse, by_weight
from gotcha_lint.solve.programs import Programs


class KeyReuse(Rule):
    """Draws from a random key that was drawn from, or split, before.

    ## What happens
    The same numbers again: two layers start identical, every step has the same dropout mask, and so
    has every iteration of a `scan` whose body takes the key from around it.
    A function that ignores the key that it is given, and makes one itself, draws the same at each
    call: as an initialiser, it makes equal weights for all layers of a shape.
    The two uses may lie far apart: a function that draws from its key, called with a key that is
    split afterwards; an attribute from which a method draws and that no method renews.
    Nothing fails. `jax.debug_key_reuse(True)` raises `KeyReuseError`, for typed keys
    (`jax.random.key`) only.

    ## Instead
    `key, subkey = jax.random.split(key)` before each draw, or `jax.random.fold_in(key, step)`.

    ## Not reported
    - a draw with which a model is initialised; draws of which one happens at most, or of which a
      mask takes one, as `where(mask, a, b)`;
    - one key for a permutation of several aligned arrays;
    - tests.

    A note by default: a key that is given to unknown functions, to `init` and to `split`,
    or to `init` of two models: Flax folds the names of the weights in, so that layers of the same
    name and shape begin with the same weights.

    Shown with `--all`, as the same numbers may be meant:

    - the turns of a loop that gives an unknown function one key; a draw from a key that is
      folded, too, or that a model gets as one of its `rngs`; draws under conditions that differ;
    - two keys that are made of one seed, `key(args.seed)` here and there; a key of a literal in a
      function that draws from it, or as the default of a parameter: each call draws the same;
    - `keys[-1]` after a loop that takes `keys[n]`, if the loop took all of them;
    - a draw that has no effect: it is never read, replaced on the path to the second draw, or asked
      for its shape alone;
    - draws that are only printed, plotted, logged or checked, one by one; cells of a notebook, or
      two models of a script, that nothing brings together;
    - a loop over settings that are written out; whole runs, by names such as `fit` and
      `train_model`; evaluations and benchmarks; a copy of a network, by names such as `target`;
    - a comment that says "same seed", "comparison of" or "dummy".

    ## References
    https://docs.jax.dev/en/latest/random-numbers.html
    """

    severity = "error"
    doubts = (*SAME_SEED, *COMPARES, *DUMMY_COMMENTS)
    examples = (
        Example(
            bad="""
                import jax

                key = jax.random.key(0)
                w1 = jax.random.normal(key, (4,))
                w2 = jax.random.normal(key, (4,))  # ! key-reuse
            """,
            good="""
                import jax

                key = jax.random.key(0)
                key1, key2 = jax.random.split(key)
                w1 = jax.random.normal(key1, (4,))
                w2 = jax.random.normal(key2, (4,))
            """,
            shows="bool((w1 == w2).all())",
        ),
        Example(
            bad="""
                import jax

                key = jax.random.key(0)
                noise = []
                for _ in range(3):
                    noise.append(jax.random.uniform(key))  # ! key-reuse
            """,
            good="""
                import jax

                key = jax.random.key(0)
                noise = []
                for step in range(3):
                    noise.append(jax.random.uniform(jax.random.fold_in(key, step)))
            """,
            shows="bool(noise[0] == noise[1])",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        found: dict[Origin, list[Reuse]] = {}
        ignored = {told.place: told for told in _ignored(programs)}
        for reuse in sorted(programs.keys.found, key=by_weight):
            doubted = not reuse.certain and reuse.at in ignored
            if not reuse.folded and not is_meant(reuse) and not doubted:
                found.setdefault(reuse.at, []).append(reuse)
        for at, (reuse, *others) in found.items():
            certain = reuse.certain and not may_be(reuse)
            places = (*chain(reuse), *uses_before(others))
            severity = "info" if reuse.minor else None
            yield Foreseen(at, told(reuse), tuple(places), certain, severity)
        yield from (told for at, told in ignored.items() if at not in found)


def _ignored(programs: Programs) -> Iterator[Foreseen]:
    for text in programs.texts:
        if is_test(text.module.path):
            continue
        for one in ignored_keys(text.origins.links, text.module):
            path = one.function.path
            name, word = one.function.name, one.parameter.name
            source = "NumPy's generator" if one.of_host else "a key that it makes itself"
            places = (
                ((path, one.parameter.span, "nothing reads this"),) if one.parameter.span else ()
            )
            yield Foreseen(
                (path, one.span),
                f"`{name}` draws from {source} and never reads its parameter `{word}`: the key "
                "that it is given changes nothing; draw from that",
                places,
                severity="warning",
            )
