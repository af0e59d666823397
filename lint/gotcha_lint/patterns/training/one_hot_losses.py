"""Cross entropies of labels that were made one-hot for it (floor `patterns`).

Must: a product of `one_hot` and `log_softmax`, or the labels of optax's loss, through names and
through a parameter of a function that its file calls once.
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


@dataclass(frozen=True)
class OneHotLoss:
    """`path`, `span`: of the labels; `loss`: where they are used, in its file; `many`: classes."""

    path: str
    span: Span
    loss: tuple[str, Span]
    many: bool


def one_hot_losses(origins: Origins, function: Function) -> Iterator[OneHotLoss]:
    for i in steps_of(function):
        for labels in _labels(origins, function, i):
            made = _one_hot(origins, function, labels)
            if made is not None:
                owner, call = made
                many = _are_many(origins, owner, call)
                yield OneHotLoss(owner.path, call[-1], (function.path, i[-1]), many)


def _labels(origins: Origins, function: Function, i: Instruction) -> Iterator[Register]:
    """What a cross entropy takes for labels, if this is one."""
    if i[0] == "binop" and i[2] == "Mult":
        for one, other in ((i[3], i[4]), (i[4], i[3])):
            if origins.library(function, other) in _LOG_SOFTMAX:
                yield one
    elif i[0] == "call" and origins.called(function, i) == _LOSS:
        options = dict(i[4])
        if "labels" in options:
            yield options["labels"]
        elif len(i[3]) > 1 and not any(star for star, _ in i[3]):
            yield i[3][1][1]


def _one_hot(
    origins: Origins, function: Function, register: Register
) -> tuple[Function, Instruction] | None:
    made = origins.links.makers(function).get(register)
    if made is not None and made[0] == "load" and made[3] == 0:
        given = origins.given_by_caller(function, made[2])
        if given is not None and not _is_stored(function, made[2]):
            function, register = given
    found = origins.of(function, register)
    if found is None or isinstance(found[1], str) or found[1][0] != "call":
        return None
    owner, call = found
    name = origins.names.of_call(owner, call)
    return (owner, found[1]) if name in _ONE_HOT else None


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
