"""How a loss follows from what is differentiated: what is cut off, undefined, unread, or whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gotcha_lint.domain.derivative import POLE, flows_in, keys_of, last_step
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import Array, Constant, Number, Tuple, Value
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import matters, steps_of
from gotcha_lint.program.ir import Function

_DEPTH = 3  # of trees that are searched for whole numbers


def check_gradient(
    machine: Machine,
    loss: Value,
    origin: tuple[str, Span, int],
    function: Function | None,
    parameters: list[str],
) -> None:
    """What the loss depends on: a leaf whose only ways to it are cut, and poles on the way.

    `function`: that gives the loss; `parameters`: those that the call gives by position.
    """
    made, about = (), None
    places: tuple[tuple[str, Span, str], ...]
    if function is not None:
        line = (function.line, 1, function.line, 1)
        made = ((function.path, line, "the loss is defined here"),)
        about = function.path, function.first or function.line, function.end_line
    own = [mark for mark in flows_in(loss.marks) if mark[1] == origin]
    named = parameters[origin[2]] if origin[2] < len(parameters) else "_"
    unread = "" if own or named.startswith("_") else named
    if function is not None and unread and matters(function, unread):
        unread = ""
    if unread and function is not None and not loss.unknown:
        line = (function.line, 1, function.line, 1)
        remark(machine, "unread", origin[1], unread, at=(function.path, line), about=about)
    places = ((origin[0], origin[1], "the gradient is taken here"), *made, *_results(function))
    plain = [mark for mark in own if last_step(mark) is None]
    for mark in sorted(own, key=repr):
        end = last_step(mark)
        if end is None:
            continue
        _, at, what = end
        how, _, word = what.rpartition(" ")
        keys = keys_of(mark)
        if end[0] == POLE:
            kind = {"guarded": "guarded pole", "": "pole"}.get(how, "norm")
            remark(machine, kind, origin[1], word, at=at, places=places, maybe=how == "norm")
        elif loss.unknown or any(_may_be(keys, other) for other in plain):
            continue
        else:
            leaf = "".join(map(str, keys))
            here = places
            given = function is not None and _is_given(machine, function, at)
            if function is not None and function.path != at[0]:
                here = (*places, (*at, "the derivative ends here"))
                at = function.path, (function.line, 1, function.line, 1)
            remark(
                machine, "cut", origin[1], word, leaf, "" if named == "_" else named,
                at=at, places=here, about=about, maybe=given,
            )  # fmt: skip


def check_forward(
    machine: Machine, out: Value, origin: tuple[str, Span, int], maybe: bool = False
) -> None:
    """What a layer gives, as its input follows from the parameters of the layers before it.

    `maybe`: it is a function, which others may differentiate.
    """
    for mark in sorted(flows_in(out.marks), key=repr):
        end = last_step(mark)
        if mark[1] == origin and end is not None and end[0] == POLE:
            _, at, what = end
            how, _, word = what.rpartition(" ")
            if how == "guarded":
                what = "function may be" if maybe else "layer is"
                places = ((origin[0], origin[1], f"this {what} differentiated where it is used"),)
                remark(
                    machine, "guarded pole", origin[1], word, at=at, places=places, maybe=maybe
                )  # fmt: skip


def _results(function: Function | None) -> Iterator[tuple[str, Span, str]]:
    """Where the loss is returned, if it is at one place."""
    code = steps_of(function) if function is not None else ()
    found = [i[-1] for i in code if i[0] == "return"]
    if function is not None and len(found) == 1:
        yield function.path, found[0], "this is the loss"


def _is_given(machine: Machine, loss: Function, at: Origin) -> bool:
    """Is the cut in a function that is given to the loss? Others may give one with a slope."""
    module = machine.modules.get(at[0])
    line = at[1][0]
    functions = module.functions if module is not None else []
    around = [f for f in functions if not f.is_module and f.line <= line <= f.end_line]
    inner = max(around, key=lambda f: f.line) if around else None
    if inner is None or inner.parent is None or inner.parent.is_module or inner.parent.is_class:
        return False
    own: Function | None = loss
    while own is not None and not own.is_module:
        if own is inner.parent or own is inner:
            return False
        own = own.parent
    return True


def _may_be(keys: tuple[object, ...], other: Any) -> bool:
    """May a flow be of this leaf, or of a part of it, or of a tree that holds it?"""
    return all(a == b for a, b in zip(keys, keys_of(other), strict=False))


def whole_leaf(
    machine: Machine, value: Value, label: str, depth: int = 0
) -> tuple[str, Origin | None] | None:
    """Which leaf of what is differentiated holds whole numbers, and where it is made.

    None where none is known to.
    """
    atom = value.only
    if isinstance(atom, Array):
        whole = atom.dtype is not None and ("int" in atom.dtype or atom.dtype == "bool")
        return (label, atom.origin) if whole else None
    if isinstance(atom, (Constant, Number)):
        return (label, atom.origin) if atom.type in ("int", "bool") else None
    if atom is None or depth > _DEPTH:
        return None
    content = contents(machine, value)
    mapping = mapping_of(machine, atom) if content is None else None
    items: list[tuple[object, Value]] = []
    if isinstance(content, Tuple):
        items = list(enumerate(content.items))
    elif mapping is not None:
        items = list(zip(mapping.keys, mapping.values, strict=True))
    for key, item in items:
        found = whole_leaf(machine, item, f"{label}[{key!r}]", depth + 1)
        if found is not None:
            return found
    return None
