"""Parameters whose gradient is zero because no derivative reaches them, and what cut it off.

JAX gives zeros, never an error, where a loss does not depend on a parameter, or only through
operations without a derivative. Those zeros are made by one function of JAX's at the end of a
gradient, so that they are told from all other zeros by the stack that their equation was traced
under. A leaf that passes `stop_gradient` is frozen on purpose and not reported. The zeros of
scalars leave no equation: they are not seen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from gotcha_sanitizer.hooks import Context, private
from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.hooks.jaxpr.flat import Flat, Step, flatten
from gotcha_sanitizer.values.events import Fact
from gotcha_sanitizer.values.parts import Site

_FLAT = {  # operations on floats whose derivative is zero
    "sign": "`sign`",
    "floor": "rounding",
    "ceil": "rounding",
    "round": "rounding",
    "argmax": "`argmax`",
    "argmin": "`argmin`",
    "convert_element_type": "a conversion to integers",
}
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_MIXING = frozenset({"dot_general", "sort", "cumsum", "cumprod", "conv_general_dilated", "gather"})
_SHOWN = 3
_SOFT = (
    "use a smooth surrogate (softmax for argmax, the probabilities for the accuracy), or a "
    "straight-through estimator: `soft + jax.lax.stop_gradient(hard - soft)`"
)
_UNUSED = "use it in the loss, or take it out of the tree that is differentiated"


def at_trace_end(context: Context, jaxpr: Any, function: str, site: Site | None) -> None:
    for fact in look(jaxpr, context.now(), function, site):
        context.emit(fact)


def look(jaxpr: Any, now: float, function: str, site: Site | None) -> Iterator[Fact]:
    """The parameters of one traced program that get no gradient, by the operation that cut it."""
    if not any(_is_zero(e) for c in inner_jaxprs(jaxpr) for e in jaxprs.opened(c)[0].eqns):
        return
    flat = flatten(jaxpr, custom=False)
    program = _Program(flat, *jaxprs.labels(jaxpr))
    zeros = [step for step in flat.steps if _is_zero(step.equation)]
    all_zero = not any("transpose(" in step.place.scope for step in flat.steps)
    by_cut: defaultdict[Cut, list[str]] = defaultdict(list)
    for zero, leaf in zip(zeros, program.leaves(zeros), strict=True):
        if leaf is None:
            continue
        cut = program.cut(leaf)
        if cut is not None:
            gradient = jaxprs.site(zero.equation) or site
            by_cut[cut._replace(gradient=gradient)].append(program.names[leaf])
    for cut, names in by_cut.items():
        yield _fact(cut, names, all_zero, now, function)


class Cut(NamedTuple):
    """What keeps a gradient from a parameter; no operation: the loss does not use it."""

    operation: str = ""
    site: Site | None = None
    gradient: Site | None = None


def _fact(cut: Cut, names: list[str], all_zero: bool, now: float, function: str) -> Fact:
    shown = ", ".join(f"`{name}`" for name in sorted(names)[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    verb, what = ("get", "them") if len(names) > 1 else ("gets", "it")
    evidence: dict[str, object] = {"parameters": sorted(names)[:50]}
    if not cut.operation:
        return Fact(
            at=now,
            gotcha="zero-gradient",
            message=f"{shown}{more} {verb} a gradient of zero: the loss does not use {what}",
            site=cut.gradient,
            function=function,
            cause="unused",
            advice=_UNUSED,
            severity="info",
            evidence=evidence,
        )
    line = f" at line {cut.gradient.line}" if cut.gradient else ""
    whole = ", and so does every other parameter" if all_zero else ""
    return Fact(
        at=now,
        gotcha="zero-gradient",
        message=f"{shown}{more} {verb} a gradient of exactly zero{line}{whole}: {cut.operation} "
        f"here has no derivative, and the loss uses {what} in no other way",
        site=cut.site or cut.gradient,
        function=function,
        cause="cut",
        advice=_SOFT,
        severity="error" if all_zero else "warning",
        evidence=evidence,
    )


def _is_zero(equation: Any) -> bool:
    """The zeros that the end of a gradient gives a leaf that nothing has reached."""
    if equation.primitive.name != "broadcast_in_dim" or not hasattr(equation.invars[0], "val"):
        return False
    value = getattr(equation.invars[0], "val", None)
    if getattr(value, "shape", ()) != () or value != 0:
        return False
    names = [frame.code.co_name for frame in jaxprs.frames(equation)]
    made, ended = private.ZEROS
    return any(a == made and b == ended for a, b in pairwise(names))


@dataclass
class _Program:
    """The flow of a program's inputs: what uses each, and what it becomes."""

    flat: Flat
    names: list[str]  # of inputs
    results: list[str]  # of outputs

    def __post_init__(self) -> None:
        self._users: defaultdict[int, list[Step]] = defaultdict(list)
        for step in self.flat.steps:
            for value in set(step.ins):
                self._users[value].append(step)
        self._wanted = {*self.flat.outputs, *filter(self._may_be_the_loss, self.flat.types)}
        for step in reversed(self.flat.steps):
            if not self._wanted.isdisjoint(step.outs):
                self._wanted.update(step.ins)

    def _may_be_the_loss(self, value: int) -> bool:
        """`jax.grad` gives no loss back: it is a number that nothing uses."""
        return self._type(value)[0] == () and not self._users[value] and self._is_float(value)

    def leaves(self, zeros: list[Step]) -> list[int | None]:
        """The input that each zero is the gradient of, by index; None where that cannot be told."""
        found = [self._leaf(zero) for zero in zeros]
        return [leaf if found.count(leaf) == 1 else None for leaf in found]

    def _leaf(self, zero: Step) -> int | None:
        """The zeros end in outputs whose path, like `['w']`, is also the parameter's."""
        (value,) = zero.outs
        reached = self._alike(value)
        paths = [
            jaxprs.pieces(self.results[i])
            for i, out in enumerate(self.flat.outputs)
            if out in reached and self.results[i]
        ]
        kind = self._type(value)
        fitting = [i for i, each in enumerate(self.flat.inputs) if self._type(each) == kind]
        fitting = [i for i in fitting if self.names[i]]
        keys = {i: jaxprs.pieces(self.names[i]) for i in fitting}
        matching = sorted({i for path in paths for i in _best(keys, path)})
        if not matching:
            return fitting[0] if len(fitting) == 1 else None
        used = [i for i in matching if self._forward(self.flat.inputs[i])]
        if len({keys[i][-1] for i in matching}) > 1 or len(used) > 1:
            return None
        return used[0] if used else min(matching, key=lambda i: len(self.names[i]))

    def _type(self, value: int) -> tuple[object, str]:
        kind = self.flat.types[value]
        return getattr(kind, "shape", None), str(getattr(kind, "dtype", ""))

    def _alike(self, value: int) -> set[int]:
        """What a value becomes by operations on each element; its shape stays."""
        shape, found, todo = self._type(value)[0], {value}, [value]
        while todo:
            for step in self._users[todo.pop()]:
                if step.name in _MIXING:
                    continue
                for out in step.outs:
                    if out not in found and self._type(out)[0] == shape:
                        found.add(out)
                        todo.append(out)
        return found

    def _forward(self, value: int) -> list[Step]:
        return [step for step in self._users[value] if jaxprs.is_forward(step.place.scope)]

    def cut(self, leaf: int) -> Cut | None:
        """What ends every way from a parameter to the loss; None for one that is frozen."""
        start = self.flat.inputs[leaf]
        found, todo, cuts, is_used = {start}, [start], [], False
        while todo:
            value = todo.pop()
            steps = self._forward(value)
            if not steps and value != start and self._type(value)[0] == ():
                return None  # it may well be the loss: a custom derivative gave zero
            for step in steps:
                if step.name == "stop_gradient":
                    return None
                is_used |= not self._wanted.isdisjoint(step.outs)
                cuts += [step] if self._is_cut(step) else []
                smooth = [out for out in step.outs if self._is_smooth(step, out)]
                todo += [out for out in smooth if out not in found]
                found.update(smooth)
        if not is_used:
            return Cut()
        if not cuts:
            return None
        first = cuts[0]
        return Cut(
            _operation(first),
            jaxprs.site(first.equation, *(e for _, e in reversed(first.place.calls))),
        )

    def _is_smooth(self, step: Step, out: int) -> bool:
        is_flat = step.name in _FLAT and step.name != "convert_element_type"
        return self._is_float(out) and not is_flat

    def _is_float(self, value: int) -> bool:
        return re.match("b?float|complex", self._type(value)[1]) is not None

    def _is_cut(self, step: Step) -> bool:
        return not any(self._is_smooth(step, out) for out in step.outs)


def _operation(step: Step) -> str:
    if step.name in _COMPARISONS:
        return "a comparison"
    return _FLAT.get(step.name, f"`{step.name}`")


def _best(keys: dict[int, list[str]], path: list[str]) -> list[int]:
    """The inputs whose paths end most like this one."""
    scores = {i: _tail(each, path) for i, each in keys.items()}
    most = max(scores.values(), default=0)
    return [i for i, score in scores.items() if score == most and most]


def _tail(one: list[str], other: list[str]) -> int:
    """How many keys two paths have in common at their ends."""
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count
