"""Weights turned NaN: which operation made the first one, by evaluating the step again.

Of a few functions that give back what they are given, as a training step does, the arguments of the
first call are copied to the host, and the traced program is kept without the user's arrays. Where
weights are NaN at the end of the run, the program is run from those arguments on, each result in
the place of its argument, until a NaN comes out; `first_nan` then evaluates that one step. The data
are those of the first call, so a NaN that other data have made is not found, and nothing is said.
Random keys are others in each step, unless the step gives back the next one.
"""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gotcha_sanitizer.hooks import Context, ending, internals, private, stack
from gotcha_sanitizer.hooks.constants import arrays_in
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.hooks.other_keys import another, is_key
from gotcha_sanitizer.hooks.readiness import is_ready
from gotcha_sanitizer.hooks.traces import spent
from gotcha_sanitizer.values.events import NanOrigin
from gotcha_sanitizer.values.parts import Site

if TYPE_CHECKING:
    from gotcha_sanitizer.user.first_nan import NonFinite

_FUNCTIONS = 4
_BYTES = 2**24  # of all copies together
_COMPILING = 30.0  # seconds in all: such a program is not compiled once more at the end
_STEPS = 10_000
_SECONDS = 2.0  # for the steps of all functions
_LOOKING = "arrays are NaN: the first step is run again, to find the operation that made the NaN"


@dataclass(frozen=True)
class Key:
    """A typed random key, on the host."""

    data: np.ndarray
    kind: Any


@dataclass(frozen=True)
class Kept:
    """A traced program with the arguments of its first call, on the host."""

    function: str
    site: Site | None
    program: Any
    given: tuple[Any, ...]
    fed: tuple[tuple[int, int], ...]  # the result that becomes an argument, and which one


class Origins:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.kept: list[Kept] = []
        self._bytes = 0

    def keep(self, jaxpr: Any, function: str, site: Site | None) -> None:
        """Takes in a program that was just traced, while its call is on the stack."""
        core, consts = jaxprs.opened(jaxpr)
        known = function in {each.function for each in self.kept}
        if known or len(self.kept) >= _FUNCTIONS or not _may_run_again(core):
            return
        call = internals.call(stack.find(sys._getframe(1), private.CALL))
        fed = tuple(_fed(jaxpr))
        if call is None or not fed:
            return
        given = _arguments(self.context.jax, call)
        if [_kind(self.context.jax, x) for x in given] != [_of_aval(v.aval) for v in core.invars]:
            return
        own = {id(each) for each in consts}
        held = [*given, *consts]
        size = self._bytes + sum(int(getattr(each, "nbytes", 0)) for each in held)
        if size > _BYTES or any(id(each) not in own for each in arrays_in(jaxpr)):
            return
        copies = [_copy(self.context.jax, each) for each in held]
        if any(each is None for each in copies):
            return
        self._bytes = size
        count = len(given)
        program = jaxpr.replace(consts=copies[count:])
        self.kept.append(Kept(function, site, program, tuple(copies[:count]), fed))

    def tell(self) -> None:
        """The run has ended with weights that are NaN."""
        if spent.seconds > _COMPILING or ending.is_under_way():
            return
        if self.kept:
            self.context.say(f"=={os.getpid()}==gotcha: {_LOOKING}\n")
        until = time.perf_counter() + _SECONDS
        # gotcha: allow[host-bound-loop] one operation after another shows which made the NaN
        for each in self.kept:
            found = _evaluate(self.context.jax, each, until)
            if found is not None:
                step, made = found
                name, why = made.reason or ("", "")
                at = self.context.now()
                self.context.emit(
                    NanOrigin(at, each.function, step, made.primitive, made.site, name, why)
                )
                return


def _evaluate(jax: Any, kept: Kept, until: float) -> tuple[int, NonFinite] | None:
    """The number of the step that gives a NaN, and what makes it."""
    import jax.extend.core as extended  # not imported with jax

    from gotcha_sanitizer.user.first_nan import first_nan

    step = extended.jaxpr_as_fun(kept.program)

    @jax.jit
    def run(given: list[Any]) -> tuple[list[Any], Any]:
        results = step(*given)
        state = [results[index] for index, _ in kept.fed]
        bad = [jax.numpy.isnan(x).any() for x in state if jax.numpy.issubdtype(x.dtype, np.inexact)]
        return results, jax.numpy.stack(bad).any()

    given = [_on_device(jax, each) for each in kept.given]
    drawn = [index for index, each in enumerate(given) if is_key(each)]
    for number in range(1, _STEPS + 1):
        results, is_nan = run(given)
        if bool(is_nan):
            found = first_nan(step, *given)
            return (number, found) if found is not None and not found.argument else None
        for argument in drawn:
            given[argument] = another(jax, given[argument], number)
        for result, argument in kept.fed:
            given[argument] = results[result]
        if time.perf_counter() > until:
            return None
    return None


# -- which results are the arguments of the next step ----------------------------------------------


def _fed(jaxpr: Any) -> Iterator[tuple[int, int]]:
    """By their structure: `result[0]['w']` goes to `params['w']` if all beside it fits as well.

    A single number of floating point is no state: a loss is like a learning rate.
    """
    core, _ = jaxprs.opened(jaxpr)
    inputs, outputs = jaxprs.labels(jaxpr)
    given = _groups(inputs, [v.aval for v in core.invars], r"[^\[.]*")
    made = _groups(outputs, [v.aval for v in core.outvars], r"result(?:\[\d+\])?")
    whole = _groups(outputs, [v.aval for v in core.outvars], "result")
    used: set[str] = set()
    pairs: list[tuple[int, int]] = []
    for results in (whole, made):
        for ends, places in results.values():
            fits = [name for name, (as_given, _) in given.items() if as_given == ends]
            free = next((name for name in fits if name not in used), None)
            if free is None or (pairs and results is whole) or not _is_state(ends):
                continue
            used.add(free)
            pairs += zip(places, given[free][1], strict=True)
        if pairs:
            break
    if any(_is_weight(core.outvars[result].aval) for result, _ in pairs):
        yield from pairs


def _may_run_again(core: Any) -> bool:
    """A quick look first: most programs are no training steps, or too large to keep."""
    if getattr(core, "effects", ()):
        return False
    given = {_of_aval(v.aval) for v in core.invars}
    weights = (_of_aval(v.aval) for v in core.outvars if _is_weight(v.aval))
    if not any(each in given for each in weights):
        return False
    return sum(math.prod(v.aval.shape) * 2 for v in core.invars) <= _BYTES


Ends = list[tuple[str, tuple[tuple[int, ...], str]]]


def _groups(
    labels: Sequence[str], avals: Sequence[Any], head: str
) -> dict[str, tuple[Ends, list[int]]]:
    """By the head of their paths: the rest of each path with its type, and the positions."""
    found: dict[str, tuple[Ends, list[int]]] = {}
    for index, (label, aval) in enumerate(zip(labels, avals, strict=True)):
        match = re.match(head, label)
        if match is None or not label:
            continue
        ends, places = found.setdefault(match[0], ([], []))
        ends.append((label[match.end() :], _of_aval(aval)))
        places.append(index)
    return found


def _is_state(ends: Ends) -> bool:
    return not (len(ends) == 1 and ends[0][1][0] == () and "float" in ends[0][1][1])


def _is_weight(aval: Any) -> bool:
    return "float" in str(aval.dtype) and len(aval.shape) > 0


# -- arguments, and their copies -------------------------------------------------------------------


def _arguments(jax: Any, call: internals.Call) -> list[Any]:
    """The leaves that are traced, in JAX's order."""
    names, static = internals.static_names(call.info, len(call.args))
    args = [value for name, value in zip(names, call.args, strict=False) if name not in static]
    kwargs = {name: value for name, value in call.kwargs.items() if name not in static}
    return list(jax.tree_util.tree_leaves((args, kwargs)))


def _kind(jax: Any, leaf: Any) -> object:
    try:
        return _of_aval(jax.typeof(leaf))
    except Exception:  # no type of JAX's
        return None


def _of_aval(aval: Any) -> tuple[tuple[int, ...], str]:
    return tuple(getattr(aval, "shape", ())), str(getattr(aval, "dtype", "?"))


def _copy(jax: Any, array: Any) -> Any:
    """On the host; None where that would wait, or gather from several devices."""
    if isinstance(array, (bool, int, float, complex, np.generic)):
        return array
    if isinstance(array, np.ndarray):
        return array.copy()
    try:
        typed = str(array.dtype).startswith("key<")
        held = getattr(array, private.KEY_DATA) if typed else array
        if len(held.sharding.device_set) > 1 or not is_ready(held):
            return None
        data = np.array(held)
        return Key(data, jax.random.key_impl(array)) if typed else data
    except (AttributeError, RuntimeError, TypeError):
        return None


def _on_device(jax: Any, held: Any) -> Any:
    if isinstance(held, Key):
        return jax.random.wrap_key_data(held.data, impl=held.kind)
    return jax.numpy.asarray(held)


_running: list[Origins] = []


def at_trace_end(context: Context, jaxpr: Any, function: str, site: Site | None) -> None:
    if _running:
        _running[-1].keep(jaxpr, function, site)


def weights_are_nan() -> None:
    """The last sample of the live arrays says so."""
    if _running:
        _running[-1].tell()


def install(context: Context) -> Callable[[], None]:
    origins = Origins(context)
    _running.append(origins)
    return lambda: _running.remove(origins)
