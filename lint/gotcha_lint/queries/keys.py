"""Uses of one random key that should be equal, and keys that are never used."""

from __future__ import annotations

from pathlib import PurePath

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by
from gotcha_lint.analysis.sites import Bind, Body, Call, Discard, Loop
from gotcha_lint.analysis.syntax import dotted, last_word, names_in, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.random import (
    ALIGNED,
    COMPARES,
    EPOCHS,
    EVALUATES,
    LOADED,
    LOADS,
    LOGGED,
    RUNS,
    SAME_ON_PURPOSE,
    SAME_SEED,
)
from gotcha_lint.queries import alike
from gotcha_lint.queries.idle import equal_starts
from gotcha_lint.queries.own_keys import given
from gotcha_lint.queries.places import new_each_turn
from gotcha_lint.queries.reads import is_clock
from gotcha_lint.rule import text_of


def on_purpose(now: Call, before: Call) -> bool:
    """The same reordering of several arrays, the same change of several views, equal targets."""
    if now.name == before.name and now.name in ALIGNED:
        return now is not before or not _same_each_epoch(now)
    names = {text_of(call.node.func).rpartition(".")[2].lower() for call in (now, before)}
    if any(word in name for name in names for word in EVALUATES) or _compares_words(now):
        return True
    if any(text_of(call.node.func).startswith(LOGGED) for call in (now, before)):
        return True
    if (_reads_data(now) and _reads_data(before)) or _says_so(now) or alike.view_of(now, before):
        return True
    if now is not before and _says_so(before, COMPARES):
        return True
    if now is before and _in_evaluation_script(now):
        return True
    if len(names) > 1 or now.name.startswith("jax.random."):
        return False
    if _told_apart(now, before) or alike.made_again(now, before) or _compared(now, before):
        return True
    names |= {call.base.of.lower() for call in (now, before) if call.base is not None}
    if any(word in name for name in names for word in SAME_ON_PURPOSE):
        return True
    made = [call.callee.kind is Kind.CLASS or _is_layer(call) for call in (now, before)]
    if all(made) and any("target" in text_of(call.at.statement) for call in (now, before)):
        return True
    return now is not before and equal_starts(now, before)


def is_demo(call: Call) -> bool:
    """Under `if __name__ == "__main__":`, where nothing is repeated: dummy inputs, looked at."""
    main = [g.test for g in call.at.guards if "__main__" in text_of(g.test)]
    if not main or call.body.function.number != 0:
        return False
    blocks = [node for node in walk(call.body.function.node) if isinstance(node, cst.If)]
    own = [node for node in blocks if any(node.test is test for test in main)]
    return not any(isinstance(part, cst.For | cst.While) for node in own for part in walk(node))


def compares_settings(call: Call) -> bool:
    """`for rate in [1e-2, 1e-1]: fit(key, rate)`: each setting starts from the same numbers."""
    loop = _around_repeats(call)
    if loop is None or call.name.startswith("jax."):
        return False
    unpacked = {dotted(arg.value) for arg in call.node.args if arg.star == "**"}
    if _given_another_function(call, loop) or not unpacked.isdisjoint(loop.names):
        return True
    used = names_in(call.node)
    if not isinstance(loop.node, cst.For):  # `[train(key, rate) for rate in rates]`
        return _is_run(call) and not loop.names.isdisjoint(used)
    if isinstance(loop.node.iter, cst.List | cst.Tuple):
        return bool(loop.names & used)
    listed = loop.over.kind is Kind.TUPLE or isinstance(loop.over.literal, tuple)
    listed = listed or _is_written_out(call.body, loop)
    known = listed and (_is_run(call) or _timed(call.body, loop))
    return known and not used.isdisjoint(new_each_turn(call.body, loop))


def _around_repeats(call: Call) -> Loop | None:
    """The innermost loop, but for one that runs the same again: `for _ in range(2)`, by a clock."""
    loops = call.at.loops
    while loops and loops[-1].short and loops[-1].names == {"_"} and _timed(call.body, loops[-1]):
        loops = loops[:-1]
    return loops[-1] if loops else call.at.loops[-1] if call.at.loops else None


def _is_written_out(body: Body, loop: Loop) -> bool:
    """Over a name of `[(64, 64), (64, 96)]`."""
    if not isinstance(loop.node, cst.For) or not isinstance(loop.node.iter, cst.Name):
        return False
    made = [bind.source for bind in body.of(Bind) if bind.name == loop.node.iter.value]
    return len(made) == 1 and isinstance(made[0], cst.List) and bool(made[0].elements)


def _says_so(call: Call, phrases: tuple[str, ...] = SAME_SEED) -> bool:
    """`measure(key, params)  # same seed as before`, on the line or above it."""
    lines = text_of(call.at.statement).lower().splitlines()
    comments = (line.partition("#")[2] for line in lines)
    return any(phrase in comment for comment in comments for phrase in phrases)


def _reads_data(call: Call) -> bool:
    """`load_dataset(name, key)`: for each of the sets of data."""
    name = last_word(call.node.func).lower()
    return name.startswith(LOADS) and any(word in name for word in LOADED)


def _in_evaluation_script(call: Call) -> bool:
    """`eval.py`, whose loops go over what is measured; each is measured with the same numbers.

    Not so where only a counter changes, as from episode to episode.
    """
    loop = call.at.loops[-1] if call.at.loops else None
    words = PurePath(call.body.model.path).stem.lower().split("_")
    if loop is None or loop.over.of == "range" or not any(w.startswith("eval") for w in words):
        return False
    return not call.name.startswith("jax.") and not loop.names.isdisjoint(names_in(call.node))


def _given_another_function(call: Call, loop: Loop) -> bool:
    """`{name: Model(make, key) for name, make in makers.items()}`: models to choose from."""
    if bound_by(call.at.statement) & names_in(call.node):
        return False  # `x = apply(make, key, x)`: one after another
    return any(
        value is not None
        and value.kind is Kind.FUNCTION
        and len(value.targets) > 1
        and not loop.names.isdisjoint(names_in(arg.value))
        for arg, value in zip(call.node.args, given(call), strict=False)
    )


def _timed(body: Body, loop: Loop) -> bool:
    """A benchmark: a clock is read in each turn."""
    return any(loop in each.at.loops and is_clock(body, each.node) for each in body.of(Call))


def _compares_words(call: Call) -> bool:
    """`reconstruct(x, key, side == "left")`: the same draw for both of a pair."""
    return any(
        isinstance(arg.value, cst.Comparison)
        and any(isinstance(part.comparator, cst.SimpleString) for part in arg.value.comparisons)
        for arg in call.node.args
    )


def _is_layer(call: Call) -> bool:
    return call.name.startswith("equinox.nn.")


def _same_each_epoch(call: Call) -> bool:
    """`for epoch in ...: order = permutation(key, n)`: the rows of nothing are kept together."""
    loop = call.at.loops[-1] if call.at.loops else None
    if loop is None or not any(word in name for name in loop.names for word in EPOCHS):
        return False
    bound = new_each_turn(call.body, loop)
    return all(bound.isdisjoint(names_in(arg.value)) for arg in call.node.args)


def _told_apart(now: Call, before: Call) -> bool:
    """`load("train", key)` and `load("valid", key)`: each may draw for one word only."""
    pairs = [*zip(now.args, before.args, strict=False)]
    pairs += [(now.kwargs[name], before.kwargs[name]) for name in now.kwargs.keys() & before.kwargs]
    return any(
        isinstance(one.literal, str) and isinstance(other.literal, str) and one != other
        for one, other in pairs
    )


def _compared(now: Call, before: Call) -> bool:
    """`fit(key, one)` and `fit(key, other)`, and neither goes on where the other has ended."""
    if now is before or now.at.loops or before.at.loops:
        return False
    if last_word(now.node.func) != last_word(before.node.func) or not _is_run(now):
        return False
    on = bound_by(before.at.statement) & names_in(now.node)
    return not on and text_of(now.node) != text_of(before.node)


def _is_run(call: Call) -> bool:
    """`run_training`, `particle_filter`; no `train_step`, nor Equinox's `filter_vmap`."""
    name = last_word(call.node.func).lower()
    words = set(name.split("_"))
    return not words.isdisjoint(RUNS) and "step" not in words and not name.startswith("filter_")


def drawn_away(body: Body, call: Call) -> bool:
    """A draw whose result is thrown away, as in a warm-up: `_ = run(key)`."""
    if any(site.node is call.node for site in body.of(Discard)):
        return True
    return bound_by(call.at.statement) == {"_"}
