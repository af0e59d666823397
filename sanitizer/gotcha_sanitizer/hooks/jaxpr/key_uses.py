"""Two uses of one random key: do they make the same numbers by mistake, or is it meant so?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.hooks.jaxpr.flat import Flat, Step
from gotcha_sanitizer.hooks.private import GRADIENTS
from gotcha_sanitizer.values.parts import Site

INITS = frozenset({"init", "init_with_output", "lazy_init"})
_SHUFFLES = frozenset({"permutation", "shuffle", "choice"})
_SMALL = 8  # numbers: a flip or an offset that two arrays share on purpose


class Use(NamedTuple):
    """A step that consumes a key. Frames are innermost first; `outside` has the libraries' too."""

    position: int
    step: Step
    users: tuple[jaxprs.Frame, ...]
    outside: tuple[jaxprs.Frame, ...]
    every: tuple[jaxprs.Frame, ...]
    names: frozenset[str]

    @property
    def site(self) -> Site | None:
        return self.users[0].site if self.users else None


def use_of(index: int, step: Step) -> Use:
    """JAX keeps the trace of an inner jit, so the stack inside it is that of its first call."""
    own = next((i for i, call in enumerate(step.place.calls) if is_jax_own(call)), None)
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


def is_jax_own(call: tuple[int, Any]) -> bool:
    return jaxprs.is_jax_own(jaxprs.body(call[1]))


def reuse(flat: Flat, first: Use, second: Use) -> bool:
    """True where both draws happen, and should not have the same numbers."""
    branches = dict(first.step.place.branches)
    if any(branches.get(cond, index) != index for cond, index in second.step.place.branches):
        return False
    if _one_sampler(first, second) or _equal_inits(first, second):
        return False
    if _aligned(first, second):
        return False
    if diverges(first, second) and (_size(flat, first) <= _SMALL or _in_gradients(first, second)):
        return False
    return not _chosen(flat, first, second)


def _one_sampler(first: Use, second: Use) -> bool:
    """Inside one function of JAX's own: a sampler that uses its key as it likes."""
    shared = set(first.step.place.calls) & set(second.step.place.calls)
    return any(map(is_jax_own, shared))


def _equal_inits(first: Use, second: Use) -> bool:
    """A network and its target network are made from one key."""
    depth = _depth_of_parting(first.outside, second.outside)
    names = {frame.code.co_name for frame in first.outside[:depth]}
    return depth > 0 and any("init" in name.split("_") for name in names - {"__init__"})


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


def diverges(first: Use, second: Use) -> bool:
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
    """A mask chooses between the two draws, also where each of them was masked before."""
    reach = [set(first.step.outs), set(second.step.outs)]
    for step in flat.steps[first.position + 1 :]:
        mask, cases = (step.ins[:1], step.ins[1:]) if step.name == "select_n" else ((), step.ins)
        sides = [{i for i, s in enumerate(reach) if value in s} for value in cases]
        if mask and {0} in sides and {1} in sides:
            return True
        masks = {i for i, s in enumerate(reach) if not s.isdisjoint(mask)}
        for i in set().union(*sides) - masks:
            reach[i].update(step.outs)
    return False
