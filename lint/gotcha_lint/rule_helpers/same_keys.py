"""Two uses of one key, in words; and where the same numbers are meant.

Whether equal numbers are meant is the author's intention, which names show at best: what looks so
is said to be possible only, or left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from gotcha_lint.facts.paths import is_benchmark, is_test, names_benchmark
from gotcha_lint.facts.random import ALIGNED, EVALUATES, LOADED, LOADS, RUNS, SAME_ON_PURPOSE
from gotcha_lint.interpret.events import KeyUse
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.compiled_functions import Place
from gotcha_lint.solve.keys import Reuse, are_of_two_models

_OTHERS = 3  # first uses that are shown beside the chain
_COPIES = ("target", "copy", "reference")  # of a network, that begin with its weights


def told(reuse: Reuse) -> str:
    """What happens, in a sentence."""
    if reuse.of_seed:
        return "this key is made of the seed of another one: both give the same numbers"
    if reuse.each_call is not None:
        name = reuse.each_call.name
        return (
            f"`{name}` makes this key of no seed that it is given: each call draws the same numbers"
        )
    if reuse.of_layers:
        return "each layer that is built here makes its key of the same number: they draw the same"
    if reuse.in_turn:
        return (
            "the last of these keys was taken before, if the loop took all of them in turn; it is "
            "used again"
        )
    if are_of_two_models(reuse.first, reuse.now):
        return (
            "this key initialises the weights of another model, too: layers of the same name and "
            "shape begin with the same weights"
        )
    if reuse.loop is None and "init" in (reuse.first.how, reuse.now.how):
        return "this key initialises the weights, and is split besides: split it before, for both"
    if reuse.loop is None:
        return "this key was used before: the numbers drawn from it are the same, or depend on them"
    kind = reuse.loop[3] if len(reuse.loop) > 3 else ""
    if kind == "vmap":
        return "every element of this `vmap` draws from the same key: the same numbers for each"
    turn = f"every iteration of the `{kind}`" if kind else "every iteration of the loop"
    if not kind and reuse.loop[2] < 0:
        turn = "every call"
    return f"{turn} draws from the same key: the same numbers each time"


def chain(reuse: Reuse) -> Iterator[Place]:
    """Where the key was made, the first use, and what the two calls come to."""
    if reuse.made is not None:
        yield (*reuse.made, f"{'the other' if reuse.of_seed else 'the'} key is made here")
    if reuse.each_call is not None:
        yield (*reuse.now.place, "used here")
    elif reuse.loop is None:
        yield (*reuse.before, "first used here")
        if reuse.before != (reuse.first.path, reuse.first.span):
            yield reuse.first.path, reuse.first.span, "the first use, within that call"
    else:
        path, line, column, *_ = reuse.loop
        if column > 0:
            yield path, (line, column, line, column), "in the iterations of this loop"
        entered = [n for n, (at, span) in enumerate(reuse.now.calls)
                   if (at, *span[:2]) == (path, line, column)]  # fmt: skip
        inner = reuse.now.calls[entered[-1] + 1 :] if entered else ()
        yield from ((*call, "handed on here") for call in inner[:2] if call != reuse.at)
        if entered and inner and reuse.loop[3:] != ("vmap",):
            yield from _returned(reuse.now.functions[entered[-1] + 1])
    if reuse.at != reuse.now.place and reuse.each_call is None:
        yield reuse.now.path, reuse.now.span, "used again here"


def uses_before(reuses: Iterable[Reuse]) -> Iterator[Place]:
    """First uses of other keys that the same place uses again: a name may hold each in its turn."""
    places = dict.fromkeys(reuse.before for reuse in reuses if reuse.loop is None)
    yield from ((*place, "used before here, too") for place in list(places)[:_OTHERS])


def _returned(body: Function) -> Iterator[Place]:
    """Where the body of a `scan` returns what its next iteration gets: the key, as it came."""
    returns = [step[-1] for step in body.body if step[0] == "return"]
    yield from ((body.path, span, "the next iteration gets this") for span in returns[-1:])


def is_meant(reuse: Reuse) -> bool:
    """The same order of several aligned arrays; tests."""
    uses = reuse.first, reuse.now
    if any(is_test(use.path) or any(map(_is_test_case, use.functions)) for use in uses):
        return True
    return reuse.loop is None and all(use.what in ALIGNED for use in uses)


def _is_test_case(function: Function) -> bool:
    """A method `test_...` of a class."""
    parent = function.parent
    return parent is not None and parent.is_class and function.name.startswith("test_")


def may_be(reuse: Reuse) -> bool:
    """Do names say that equal numbers may be meant?"""
    first, now = (_entered(use, reuse) for use in (reuse.first, reuse.now))
    if is_benchmark(reuse.now.path):
        return True
    if reuse.loop is not None:
        ways = (*reuse.now.calls, (reuse.now.path, reuse.now.span))
        called = reuse.now.functions[ways.index(reuse.at) + 1 :][:1] if reuse.at in ways else ()
        if any(_is_run(f) or _loads(f) for f in called):
            return True
        return _named(now, (*EVALUATES, *SAME_ON_PURPOSE)) or (bool(called) and _evaluates(reuse))
    if any(names_benchmark(function.name) for function in reuse.now.functions):
        return True
    if any(word in name for name in reuse.names for word in _COPIES):
        return True
    if _named(first, EVALUATES) and _named(now, EVALUATES):
        return True
    if first and now and first[0] is now[0]:  # one function, called twice
        name = first[0].name.lower()
        if _is_run(first[0]) or _loads(first[0]):
            return True
        return any(word in name for word in SAME_ON_PURPOSE)
    return False


def _is_run(function: Function) -> bool:
    """A whole run, as `run_training` or `particle_filter`, that is compared with others."""
    words = set(function.name.lower().split("_"))
    return not words.isdisjoint(RUNS) and "step" not in words


def _loads(function: Function) -> bool:
    """It reads data, and shuffles with its key, if it uses it at all."""
    name = function.name.lower()
    return name.startswith(LOADS) and any(word in name for word in LOADED)


def _evaluates(reuse: Reuse) -> bool:
    """A script that measures: what its loops go over is measured with the same numbers."""
    stem = PurePath(reuse.at[0]).stem.lower()
    return any(word.startswith("eval") for word in stem.split("_"))


def _named(functions: tuple[Function, ...], words: tuple[str, ...]) -> bool:
    """Has one of these words in its name; `train_and_evaluate` trains."""
    names = (function.qualname.lower() for function in functions)
    return any(word in name for name in names if "train" not in name for word in words)


def _entered(use: KeyUse, reuse: Reuse) -> tuple[Function, ...]:
    """The functions that lie between the place where the two part ways and the use."""
    if reuse.loop is not None:
        return use.functions
    way = (*use.calls, (use.path, use.span))
    place = reuse.before if use is reuse.first else reuse.at
    return use.functions[way.index(place) + 1 :]
