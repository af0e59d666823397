"""Random keys that a traced program uses twice, found by giving equal values equal numbers.

Not reported: what is computed again on purpose or by JAX (rematerialisation, common seeds of two
gradients), uses in different branches, aligned shuffles and crops, equal `init` calls, draws that
nothing uses or that a mask chooses between. Draws outside of jit are not seen.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gotcha_sanitizer.events import Fact, Site
from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks import Context, jaxprs
from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.hooks.flat import Flat, Step, flatten
from gotcha_sanitizer.hooks.private import GRADIENTS

_DRAWS = {"random_bits": "drawn from", "random_split": "split"}
_KEYS = frozenset({*_DRAWS, "random_fold_in", "random_wrap", "random_unwrap"})
_SHUFFLES = frozenset({"permutation", "shuffle", "choice"})
_FLAX_SCAN = os.path.join("flax", "core", "lift.py")  # says by split_rngs which keys stay
_SMALL = 8  # numbers: a flip or an offset that two arrays share on purpose
_MOST = 8  # findings of one program
_ADVICE = "split the key and use each part once: `key, subkey = jax.random.split(key)`"
_IN_LOOP = "use another key in each turn: `jax.random.fold_in(key, i)`, or scan over split keys"


_INITS = frozenset({"init", "init_with_output", "lazy_init"})
_PAIRS, _USES = 200, 400  # that are looked at


class Use(NamedTuple):
    """A step that consumes a key. Frames are innermost first; `outside` has the libraries' too."""

    index: int
    step: Step
    users: tuple[jaxprs.Frame, ...]
    outside: tuple[jaxprs.Frame, ...]
    every: tuple[jaxprs.Frame, ...]
    names: frozenset[str]

    @property
    def site(self) -> Site | None:
        return self.users[0].site if self.users else None


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
            message=f"a random key is {again} in each turn of a loop in `{function}`, and is the "
            "same in all of them: every turn has the same random numbers",
            site=second.site,
            function=function,
            cause="loop",
            advice=_IN_LOOP,
            confidence="medium",
        )
    before = _DRAWS[first.step.name]
    line = f"line {first.site.line}" if first.site else "an earlier line"
    where = "on this line" if first.site == second.site else f"at {line}"
    unsure = _diverges(first, second)
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
    values = _Values(flat)
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
        use = _use(index, step)
        if _in_each_turn(values, use) and step.place.loops[-1] not in loops:
            loops.add(step.place.loops[-1])
            yield use, use
        known = by_key[values.of(step.ins[0])]
        for other in known:
            if (pairs := pairs + 1) > _PAIRS:
                return
            if _together(flat, other, use):
                values.repeat(step)
                yield other, use
                break
        known.append(use)


def _use(index: int, step: Step) -> Use:
    """JAX keeps the trace of an inner jit, so the stack inside it is that of its first call."""
    own = next((i for i, call in enumerate(step.place.calls) if _is_jax_own(call)), None)
    inward = [equation for _, equation in step.place.calls[: None if own is None else own + 1]]
    if own is None:
        inward.append(step.equation)
    every = tuple(frame for each in reversed(inward) for frame in jaxprs.frames(each))
    whose = [owner(frame.code.co_filename) for frame in every]
    return Use(
        index,
        step,
        users=tuple(f for f, who in zip(every, whose, strict=True) if who == "user"),
        outside=tuple(f for f, who in zip(every, whose, strict=True) if who != "jax"),
        every=every,
        names=frozenset(frame.code.co_name for frame in every),
    )


def _is_jax_own(call: tuple[int, Any]) -> bool:
    return jaxprs.is_jax_own(jaxprs.body(call[1]))


def _in_each_turn(values: _Values, use: Use) -> bool:
    """True for a key that is the same in all turns of the loop it is used in."""
    place = use.step.place
    if not place.loops or values.changes(use.step.ins[0], place.loops[-1]):
        return False
    if any(number < place.loops[-1] and _is_jax_own((number, e)) for number, e in place.calls):
        return False  # the loop is inside a sampler of JAX's
    lifted = any(f.code.co_filename.endswith(_FLAX_SCAN) for f in use.outside)
    return not lifted and _INITS.isdisjoint(use.names)


def _recomputed(step: Step) -> bool:
    """The backward pass draws again what a rematerialised forward pass drew."""
    scope = step.place.scope
    return "transpose(" in scope or "rematted_computation" in scope


@dataclass
class _Values:
    """Numbers that are equal for values that are computed alike, and what changes in a loop."""

    flat: Flat

    def __post_init__(self) -> None:
        self._alike: dict[object, int] = {}
        self._number: dict[int, int] = {}
        self._repeated: set[int] = set()
        self._moving: defaultdict[int, frozenset[int]] = defaultdict(frozenset)  # loops, by value

    def of(self, value: int) -> int:
        return self._number.get(value, value)

    def changes(self, value: int, loop: int) -> bool:
        return loop in self._moving[value]

    def repeat(self, step: Step) -> None:
        """Told once: what is made of this step's results is not told again."""
        self._repeated.update(step.outs)

    def is_repeated(self, value: int) -> bool:
        return value in self._repeated

    def number(self, step: Step) -> None:
        moving = frozenset().union(*(self._moving[value] for value in step.ins))
        if step.name == "loop in":
            moving |= frozenset(step.place.loops[-1:])
        for out in step.outs:
            self._moving[out] = moving
        if not self._repeated.isdisjoint(step.ins):
            self._repeated.update(step.outs)
        if not self._may_hold_a_key(step):
            return
        what = (step.name, _params(step), tuple(self.of(value) for value in step.ins))
        for position, out in enumerate(step.outs):
            self._number[out] = self._alike.setdefault((what, position), out)

    def _may_hold_a_key(self, step: Step) -> bool:
        if step.name in _KEYS:
            return step.name != "random_bits"
        if step.name == "random_seed":  # two equal seeds are another pitfall
            return False
        whole = all(getattr(self.flat.types[o].dtype, "kind", "V") in "iubV" for o in step.outs)
        return whole and not step.name.startswith(("loop", "branch"))


def _params(step: Step) -> object:
    params = step.equation.params
    try:
        key = tuple(sorted((name, value) for name, value in params.items()))
        hash(key)
    except TypeError:  # not to be compared: equal to nothing
        return id(step.equation)
    return key


def _together(flat: Flat, first: Use, second: Use) -> bool:
    """True where both draws happen, and should not have the same numbers."""
    branches = dict(first.step.place.branches)
    if any(branches.get(cond, index) != index for cond, index in second.step.place.branches):
        return False
    if _one_sampler(first, second) or _equal_inits(first, second):
        return False
    if _aligned(first, second):
        return False
    if _diverges(first, second):
        if _size(flat, first) <= _SMALL or _in_gradients(first, second):
            return False
    return not _chosen(flat, first, second)


def _one_sampler(first: Use, second: Use) -> bool:
    """Inside one function of JAX's own: a sampler that uses its key as it likes."""
    shared = set(first.step.place.calls) & set(second.step.place.calls)
    return any(map(_is_jax_own, shared))


def _equal_inits(first: Use, second: Use) -> bool:
    """A network and its target network are made from one key."""
    depth = _depth_of_parting(first.outside, second.outside)
    names = {frame.code.co_name for frame in first.outside[:depth]}
    return depth > 0 and (not _INITS.isdisjoint(names) or any(n.startswith("init") for n in names))


def _aligned(first: Use, second: Use) -> bool:
    """Several arrays are shuffled, or cropped by one helper, in the same way."""
    if _SHUFFLES & first.names & second.names:
        return True
    return "randint" in first.names & second.names and first.site == second.site


def _size(flat: Flat, use: Use) -> int:
    shape = getattr(flat.types[use.step.outs[0]], "shape", ())
    size = 1
    for extent in shape:
        size *= extent
    return size if use.step.name == "random_bits" else _SMALL + 1


def _depth_of_parting(one: Sequence[jaxprs.Frame], other: Sequence[jaxprs.Frame]) -> int:
    """How many innermost frames two stacks share before they part; -1: all of them."""
    for depth, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return depth
    return -1


def _diverges(first: Use, second: Use) -> bool:
    """One helper, called with the same key from two lines: it may be meant so."""
    return first is not second and _depth_of_parting(first.users, second.users) > 0


def _in_gradients(first: Use, second: Use) -> bool:
    """Two gradients (of a loss, at two points) with common random numbers."""
    parted = first.users[_depth_of_parting(first.users, second.users)]
    for frame in first.every:
        if frame == parted:
            return False
        if frame.code.co_name in GRADIENTS:
            return True
    return False


def _chosen(flat: Flat, first: Use, second: Use) -> bool:
    """A mask chooses between the two draws."""
    reach = []
    for use in (first, second):
        found = set(use.step.outs)
        for step in flat.steps[use.index + 1 :]:
            if step.name == "select_n":
                continue
            if not found.isdisjoint(step.ins):
                found.update(step.outs)
        reach.append(found)
    for step in flat.steps[second.index + 1 :]:
        if step.name == "select_n":
            sides = [{i for i, s in enumerate(reach) if value in s} for value in step.ins[1:]]
            if {0} in sides and {1} in sides:
                return True
    return False
