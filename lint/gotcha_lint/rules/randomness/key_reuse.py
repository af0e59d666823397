"""A random key drawn from twice."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, KeyUse
from gotcha_lint.analysis.unread import in_unread_line, is_notebook
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.random import KEY_MAKERS
from gotcha_lint.queries.exclusive import never_both
from gotcha_lint.queries.expected import in_test_case, is_benchmark
from gotcha_lint.queries.harmless import harmless
from gotcha_lint.queries.in_vain import draws_nothing, is_ignored
from gotcha_lint.queries.keys import (
    compares_settings,
    drawn_away,
    is_demo,
    on_purpose,
)
from gotcha_lint.queries.linen import assignment
from gotcha_lint.queries.not_asked import nobody_asks
from gotcha_lint.queries.own_keys import from_around, own_of_turn, renewed_or_none
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.same_keys import chain, is_meant, may_be, told
from gotcha_lint.solve.programs import Programs


class KeyReuse(Rule):
    """Draws from a random key that was drawn from, or split, before.

    ## What happens
    The same numbers again: two layers start identical, every step has the same dropout mask, and so
    has every iteration of a `scan` whose body takes the key from around it.
    The two uses may lie far apart: a function that draws from its key, called with a key that is
    split afterwards; an attribute from which a method draws and that no method renews.
    Nothing fails. `jax.debug_key_reuse(True)` raises `KeyReuseError`, for typed keys
    (`jax.random.key`) only.

    ## Instead
    `key, subkey = jax.random.split(key)` before each draw, or `jax.random.fold_in(key, step)`.

    ## Not reported
    A key that is given twice to functions that nobody knows, and what only a name or a comment
    suggests below, are shown with `--all`, as `info`.

    Where the same numbers are meant:

    - one key for a permutation of several aligned arrays, or for views of one sample;
    - equal `init` calls, for a target network or another copy; two models or two whole runs that
      are compared (`fit(key, one)`, `fit(key, other)`);
    - a loop over settings that are written out, or over makers of models to choose from, each of
      which starts from the same key; in a file `eval*.py`, a loop over what is measured;
    - two methods of one object by the names `sample` and `sample_flow`; features of a kernel for
      both of its sides; a comment that says "same seed"; benchmarks; tests (never shown).

    Where one of the draws has no effect:

    - a draw that the second replaces before it is read, that is never read, or that is only
      printed, plotted, logged, checked, asserted on or asked for its shape; in a training loop,
      what is only shown every so many steps;
    - keys that are split again for `tabulate`, that only `init` or `eval_shape` is given, or that
      load data or pretrained weights; `model.init(key, x)` of an `x` drawn with that key;
    - a function that ignores the key, or that only splits it and drops the rest (`_, x = f(key)`);
      calls whose arguments and defaults keep a function from its draw; keys called dummies.

    Where only one of the draws happens, or both do not meet:

    - uses in different branches; draws that a mask chooses between; products with masks that
      exclude each other;
    - in a notebook, another cell's run of something whose first result nothing reads any more, two
      results that no line brings together, and a function that no call makes draw.

    ## References
    https://docs.jax.dev/en/latest/random-numbers.html
    """

    severity = "error"
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
        seen: set[Origin] = set()
        for reuse in sorted(programs.keys.found, key=lambda reuse: not reuse.certain):
            if reuse.at not in seen and not is_meant(reuse):
                seen.add(reuse.at)
                certain = reuse.certain and not may_be(reuse)
                yield Foreseen(reuse.at, told(reuse), tuple(chain(reuse)), certain)

    def check(self, site: KeyUse) -> Iterator[Report]:
        reports = list(_reuse(site))
        now = site.body.call_of(site.node)
        if reports or (now is not None and now.callee.kind is Kind.CLASS):
            yield from reports  # what an object does with its key, the engine sees better
        else:
            yield Report(site.node, "", meant=True)


def _reuse(site: KeyUse) -> Iterator[Report]:
    now = site.body.call_of(site.node)
    if now is None or site.in_vain or _is_quiet(site.body, now) or nobody_asks(site):
        return
    if draws_nothing(now, site.value):
        return
    for before in _earlier(site, now):
        if not _is_harmless(site.body, now, before):
            yield from _reports(site, now, before)
            return


def _is_quiet(body: Body, now: Call) -> bool:
    """Whatever the key was used for before."""
    if is_test(body.model.path) or in_test_case(body) or is_benchmark(body):
        return True
    if now.decorator or is_demo(now) or drawn_away(body, now) or in_unread_line(body):
        return True
    return body.trace is not None and "eval_shape" in body.trace.roles


def _earlier(site: KeyUse, now: Call) -> Iterator[Call]:
    """The first use; in a notebook those after it too, as each cell may show another thing."""
    body = site.body
    calls = (body.call_of(node) for node in site.before)
    before = [call for call in calls if call is not None and not never_both(now, call)]
    before = [c for c in before if not (draws_nothing(c, site.value) or is_ignored(c))]
    yield from before[:1]
    if body.function.number == 0 and is_notebook(body.model):
        yield from (call for call in before[1:] if call is not now)


def _is_harmless(body: Body, now: Call, before: Call) -> bool:
    if before.decorator or on_purpose(now, before):
        return True
    return drawn_away(body, before) or harmless(body, now, before)


def _reports(site: KeyUse, now: Call, before: Call) -> Iterator[Report]:
    if now is not before:
        yield Report(
            now.node,
            "this key was used before: the numbers drawn from it are the same, or depend on them",
            places=((before.node, "first used here"),),
        )
    elif not compares_settings(now) and _same_each_turn(now, site.value):
        text = "every iteration of the loop draws from the same key: the same numbers each time"
        yield Report(now.node, text)


def _same_each_turn(call: Call, key: Value) -> bool:
    """Of a Python loop; or of a `lax.scan`, whose body takes the key from around it."""
    if not key.ident:
        indexed = call.name in KEY_MAKERS and not isinstance(assignment(call), cst.Tuple)
        return from_around(call, key) and not indexed  # `split(key, n)[i]` is another key each turn
    return bool(call.at.loops) and not own_of_turn(call, key) and not renewed_or_none(call, key)
