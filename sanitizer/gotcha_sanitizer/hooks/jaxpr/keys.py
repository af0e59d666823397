"""Random keys that a traced program uses twice, found by giving equal values equal numbers.

Not reported: what is computed again on purpose or by JAX (rematerialisation, common seeds of two
gradients), uses in different branches, aligned shuffles and crops, equal `init` calls, draws that
nothing uses or that a mask chooses between. Draws outside of jit are not seen.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from gotcha_sanitizer.hooks import Context
from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.hooks.jaxpr.flat import Flat, Step, flatten
from gotcha_sanitizer.hooks.jaxpr.key_uses import INITS, Use, diverges, is_jax_own, reuse, use_of
from gotcha_sanitizer.hooks.jaxpr.values import Values
from gotcha_sanitizer.values.events import Fact
from gotcha_sanitizer.values.parts import Site

_DRAWS = {"random_bits": "drawn from", "random_split": "split"}
_FLAX_SCAN = os.path.join("flax", "core", "lift.py")  # says by split_rngs which keys stay
_MOST = 8  # findings of one program
_PAIRS, _USES = 200, 400  # that are looked at
_ADVICE = "split the key and use each part once: `key, subkey = jax.random.split(key)`"
_IN_LOOP = (
    "use another key in each iteration: `jax.random.fold_in(key, i)`, or scan over split keys"
)


def at_trace_end(context: Context, jaxpr: Any, function: str, site: Site | None) -> None:
    for fact in look(jaxpr, context.now(), function, site):
        context.emit(fact)


def look(jaxpr: Any, now: float, function: str, site: Site | None) -> Iterator[Fact]:
    """The keys that one traced program uses again."""
    if not _uses_keys(jaxpr):
        return
    flat = flatten(jaxpr)
    told: set[tuple[Site | None, Site | None]] = set()
    for first, second in _reuses(flat):
        places = (first.site, second.site)
        if second.site is not None and places not in told and len(told) < _MOST:
            told.add(places)
            yield _fact(first, second, now, function)


def _uses_keys(jaxpr: Any) -> bool:
    return any(
        equation.primitive.name in _DRAWS
        for closed in inner_jaxprs(jaxpr)
        for equation in jaxprs.opened(closed)[0].eqns
    )


def _fact(first: Use, second: Use, now: float, function: str) -> Fact:
    again = _DRAWS[second.step.name]
    if first is second:
        return Fact(
            at=now,
            gotcha="key-reuse",
            message=f"a random key is {again} in each iteration of a loop in `{function}`, and is "
            "the same in all of them: every iteration has the same random numbers",
            site=second.site,
            function=function,
            cause="loop",
            advice=_IN_LOOP,
            confidence="medium",
        )
    before = _DRAWS[first.step.name]
    line = f"line {first.site.line}" if first.site else "an earlier line"
    where = "on this line" if first.site == second.site else f"at {line}"
    unsure = diverges(first, second)
    return Fact(
        at=now,
        gotcha="key-reuse",
        message=f"a random key is {again} again in `{function}`; it was {before} {where} before: "
        "both have the same random numbers",
        site=second.site,
        function=function,
        cause="twice",
        advice=_ADVICE,
        severity="info" if unsure else "error",
        confidence="medium" if unsure else "high",
        evidence={"first": f"{first.site.path}:{first.site.line}" if first.site else ""},
    )


def _reuses(flat: Flat) -> Iterator[tuple[Use, Use]]:
    values = Values(flat)
    used = flat.used()
    by_key: defaultdict[int, list[Use]] = defaultdict(list)
    loops: set[int] = set()
    pairs = uses = 0
    for index, step in enumerate(flat.steps):
        values.number(step)
        if step.name not in _DRAWS or index not in used or _recomputed(step):
            continue
        if values.is_repeated(step.ins[0]):  # a part of a key that was split twice
            continue
        if (uses := uses + 1) > _USES:
            return
        use = use_of(index, step)
        if _in_each_turn(values, use) and step.place.loops[-1] not in loops:
            loops.add(step.place.loops[-1])
            yield use, use
        known = by_key[values.of(step.ins[0])]
        for other in known:
            if (pairs := pairs + 1) > _PAIRS:
                return
            if reuse(flat, other, use):
                values.repeat(step)
                yield other, use
                break
        known.append(use)


def _in_each_turn(values: Values, use: Use) -> bool:
    """True for a key that is the same in all iterations of the loop it is used in."""
    place = use.step.place
    if not place.loops or values.changes(use.step.ins[0], place.loops[-1]):
        return False
    if any(number < place.loops[-1] and is_jax_own((number, e)) for number, e in place.calls):
        return False  # the loop is inside a sampler of JAX's
    lifted = any(f.code.co_filename.endswith(_FLAX_SCAN) for f in use.outside)
    return not lifted and INITS.isdisjoint(use.names)


def _recomputed(step: Step) -> bool:
    """The backward pass draws again what a rematerialised forward pass drew."""
    scope = step.place.scope
    return "transpose(" in scope or "rematted_computation" in scope
