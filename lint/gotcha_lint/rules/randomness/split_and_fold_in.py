from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import last_word, literal
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import in_test_case
from gotcha_lint.rule import Example, Report, Rule, text_of

_SPLIT, _FOLD = "jax.random.split", "jax.random.fold_in"
# What counts from 0, by its name or by the function that gives it.
_COUNTERS = frozenset({"i", "j", "n", "t", "step", "epoch", "idx", "index", "count", "iteration"})
_COUNTS = frozenset({"axis_index", "process_index", "program_id"})
_SINCE = (0, 5)  # partitionable by default: 0.4.30 gives other keys
_FIRST_TWO = 2  # keys that `split` gives where no number is told


class SplitAndFoldIn(Rule):
    """Splits a key, and folds small numbers into the same key: both give the same keys.

    ## What happens
    `jax.random.fold_in(key, i)` is `jax.random.split(key, n)[i]`, bit for bit, since jax 0.5, where
    threefry is partitionable by default. After `a, b = split(key)` the keys of the steps 0 and 1,
    made by `fold_in(key, step)`, are `a` and `b` once more: the first dropout mask repeats the
    numbers that the weights began with. Nothing fails.

    ## Instead
    Use each key one way: `key, steps = jax.random.split(key)`, and `fold_in(steps, step)`.

    ## Not reported
    Numbers that are not seen to begin at 0, as hashes, and those that are written out and are not
    below the number of keys; the two on different branches; code for older releases (`target-jax`);
    tests.

    ## In a run
    Nothing: the two keys are made by different operations.
    """

    severity = "error"
    confidence = "medium"
    preview = True
    roots = frozenset({"fold_in"})
    examples = (
        Example(
            bad="""
                import jax

                key = jax.random.key(0)
                weights_key, data_key = jax.random.split(key)
                weights = jax.random.normal(weights_key, (4,))
                noise = []
                for step in range(3):
                    step_key = jax.random.fold_in(key, step)  # ! split-and-fold-in
                    noise.append(jax.random.normal(step_key, (4,)))
            """,
            good="""
                import jax

                key = jax.random.key(0)
                weights_key, data_key, noise_key = jax.random.split(key, 3)
                weights = jax.random.normal(weights_key, (4,))
                noise = []
                for step in range(3):
                    step_key = jax.random.fold_in(noise_key, step)
                    noise.append(jax.random.normal(step_key, (4,)))
            """,
            shows="bool((noise[0] == weights).all())",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        old = self.options.target_jax < _SINCE
        if old or is_test(site.model.path) or in_test_case(site):
            return
        splits = [call for call in site.of(Call) if call.name == _SPLIT and _key(call)]
        for fold in [call for call in site.of(Call) if call.name == _FOLD] if splits else ():
            split = next((one for one in splits if _meet(one, fold)), None)
            if split is not None:
                yield Report(
                    fold.node,
                    "`fold_in(key, i)` is `split(key, n)[i]`, and this key is split too: the same "
                    "keys again",
                    places=((split.node, "split here"),),
                )


def _key(call: Call) -> int:
    """What tells its key from others; 0 where that is not known, or where it is several keys."""
    given = call.arg(0, "key")
    return given.ident if given is not None and not call.starred else 0


def _meet(split: Call, fold: Call) -> bool:
    """One key, split into at least so many that the folded number is among them."""
    early, late = sorted((split, fold), key=lambda call: call.at.order)
    if _key(split) != _key(fold) or not early.at.is_passed_by(late.at):
        return False
    count = split.arg_node(1, "num")
    many = literal(Flowing(split.body, split.at).resolve(count)) if count else _FIRST_TWO
    node = fold.arg_node(1, "data")
    folded = literal(Flowing(fold.body, fold.at).resolve(node)) if node is not None else None
    if isinstance(folded, int):
        return 0 <= folded < (many if isinstance(many, int) else _FIRST_TWO)
    return node is not None and _from_zero(fold, node)


def _from_zero(fold: Call, node: cst.BaseExpression) -> bool:
    """A counter: of a loop, by its name, or the number of a device or process."""
    if isinstance(node, cst.Call):
        return last_word(node.func) in _COUNTS
    name = text_of(node).rpartition(".")[2]
    counted = any(name in loop.names and _counts(loop.node) for loop in fold.at.loops)
    return counted or name.lower() in _COUNTERS


def _counts(loop: cst.CSTNode) -> bool:
    """`for i in range(n)`, `for i, x in enumerate(xs)`."""
    over = loop.iter if isinstance(loop, cst.For | cst.CompFor) else None
    if not isinstance(over, cst.Call):
        return False
    begins = last_word(over.func) == "range" and len(over.args) == 1
    return begins or (last_word(over.func) == "enumerate" and len(over.args) == 1)
