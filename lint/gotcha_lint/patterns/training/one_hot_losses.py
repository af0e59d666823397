"""Cross entropies of labels that were made one-hot for it (floor `patterns`).

Must: a product of `one_hot` and `log_softmax`, or the labels of optax's loss, through names and
through a parameter of a function of the project.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import spelled

_ONE_HOT = ("jax.nn.one_hot", "flax.linen.one_hot", "flax.nnx.one_hot")
_LOG_SOFTMAX = ("jax.nn.log_softmax", "flax.linen.log_softmax", "flax.nnx.log_softmax")
_LOSS = "optax.softmax_cross_entropy"
_MANY = 256  # classes: from about there on, the one-hot labels cost more than the rest
_WORD = "vocab"
_METHODS = frozenset(("reshape", "squeeze", "ravel", "flatten", "astype"))
_REARRANGING = frozenset(
    f"jax.numpy.{name}" for name in ("reshape", "squeeze", "ravel", "expand_dims", "astype")
)
_DEPTH = 6

Place = tuple[str, Span]


@dataclass(frozen=True)
class OneHotLoss:
    """`path`, `span`: of the labels; `loss`: where they are used, in its file; `many`: classes."""

    path: str
    span: Span
    loss: Place
    many: bool


def one_hot_losses(origins: Origins, function: Function) -> Iterator[OneHotLoss]:
    for i in steps_of(function):
        for labels, at in (*_labels(origins, function, i), *_handed_on(origins, function, i)):
            made = _made_by(origins, function, labels)
            if made is None:
                continue
            owner, call = made
            if origins.names.of_call(owner, call) in _ONE_HOT:
                yield OneHotLoss(owner.path, call[-1], at, _are_many(origins, owner, call))


def _made_by(
    origins: Origins, function: Function, register: Register
) -> tuple[Function, Instruction] | None:
    """The call that made the numbers, whatever has given them another shape or type since."""
    for _ in range(_DEPTH):
        made = origins.of(function, register)
        if made is None or isinstance(made[1], str) or made[1][0] != "call":
            return None
        function, call = made[0], made[1]
        callee = origins.links.makers(function).get(call[2])
        if origins.names.of_call(function, call) in _REARRANGING and call[3]:
            register = call[3][0][1]
        elif callee is not None and callee[0] == "attr" and callee[3] in _METHODS:
            register = callee[2]
        else:
            return function, call
    return None


def _labels(
    origins: Origins, function: Function, i: Instruction
) -> Iterator[tuple[Register, Place]]:
    """What a cross entropy takes for labels, if this is one; and where it is."""
    at = function.path, i[-1]
    if i[0] == "binop" and i[2] == "Mult":
        for one, other in ((i[3], i[4]), (i[4], i[3])):
            if origins.library(function, other) in _LOG_SOFTMAX:
                yield one, at
    elif i[0] == "call" and origins.called(function, i) == _LOSS:
        options = dict(i[4])
        if "labels" in options:
            yield options["labels"], at
        elif len(i[3]) > 1 and not any(star for star, _ in i[3]):
            yield i[3][1][1], at


def _handed_on(
    origins: Origins, function: Function, i: Instruction
) -> Iterator[tuple[Register, Place]]:
    """What is given to a function of the project that takes it for the labels of a loss."""
    link = origins.links.of_register(function, i[2]) if i[0] == "call" else None
    if link is None or link.kind != "function" or any(star for star, _ in i[3]):
        return
    callee = link.function
    places = [p.name for p in callee.parameters if p.kind == "pos"][link.bound :]
    given = {**dict(zip(places, (register for _, register in i[3]), strict=False)), **dict(i[4])}
    makers = origins.links.makers(callee)
    for step in steps_of(callee):
        for labels, at in _labels(origins, callee, step):
            made = makers.get(labels)
            named = made is not None and made[0] == "load" and made[3] == 0
            if made is None or not named or _is_stored(callee, made[2]):
                continue
            if made[2] in given:
                yield given[made[2]], at


def _is_stored(function: Function, name: str) -> bool:
    return any(i[0] == "store" and i[2] == name for i in steps_of(function))


def _are_many(origins: Origins, owner: Function, call: Instruction) -> bool:
    """A large number, or one that is called a vocabulary's."""
    options = dict(call[4])
    classes = call[3][1][1] if len(call[3]) > 1 else options.get("num_classes")
    if classes is None:
        return False
    found = origins.of(owner, classes)
    if found is not None and not isinstance(found[1], str) and found[1][0] == "const":
        return type(found[1][2]) is int and found[1][2] >= _MANY
    return _WORD in spelled(origins.links.makers(owner), classes).lower()
