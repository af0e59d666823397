"""Gradients of single examples, `vmap(grad(loss), in_axes=(None, 0))`, that are only averaged.

A mark says that a tree holds them: where `vmap` stands, and whether the tree has left the compiled
program that made it, so that it is in memory as a whole (must). Only a tree that the text reads
once is marked, so what clips the gradients, or asks for their norms, is no fault. Of a tree that a
function returns nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Marks, Object, Tuple, Value
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note
from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Register

MEAN_OF_EXAMPLES = "mean of examples"
_EXAMPLES = "gradients of examples"
_GRADIENTS = ("grad", "value_and_grad")
_DEFAULT = 0  # what `jax.grad` differentiates by


def mark_examples(call: Call, inner: Value, shared: set[int], out: Value) -> Value:
    """The result of `vmap`: marked where it holds gradients by arguments that are not mapped."""
    atom, mapped = inner.only, call.on
    if not isinstance(atom, Object) or not isinstance(mapped, Object):
        return out
    if atom.site.info.get("word") not in _GRADIENTS or not _positions(atom.site) <= shared:
        return out
    place = _place_of_gradient(atom.site)
    function = call.engine.activation.function
    if place is None or not _is_read_once(function, call.span, place):
        return out
    mark = (_EXAMPLES, mapped.site.origin, not call.engine.traced)
    return _marked(out, place, frozenset((mark,)))


def leave_program(value: Value) -> Value:
    """The result of a compiled function: what is in it is in memory."""
    atom = value.only
    if isinstance(atom, Tuple):
        items = tuple(map(leave_program, atom.items))
        if items != atom.items:
            return Value((Tuple(items, atom.origin),), False, value.marks, value.choice)
    inside = _examples(value.marks)
    if not inside:
        return value
    marks = (value.marks - inside) | {(_EXAMPLES, origin, True) for _, origin, _ in inside}
    return Value(value.atoms, value.unknown, marks, value.choice)


def note_mean(call: Call, function: Value, tree: Value) -> None:
    """`jax.tree.map(lambda g: g.mean(axis=0), tree)`"""
    atom, machine = function.only, call.engine
    if not isinstance(atom, Object) or atom.site.kind != "function":
        return
    if _is_mean(atom.site.info["function"]) and _is_only_read(
        machine.activation.function, call.span
    ):
        note(machine, MEAN_OF_EXAMPLES, "mean", call.span, (tree,))


def averaged_in(values: Iterable[Value]) -> Iterator[tuple[Origin, bool]]:
    """Where the gradients of examples were made, and whether they are in memory as a whole."""
    for value in values:
        for _, origin, whole in sorted(_examples(value.marks), key=repr):
            yield origin, whole
        if isinstance(value.only, Tuple):
            yield from averaged_in(value.only.items)


def _examples(marks: Marks) -> Marks:
    return frozenset(mark for mark in marks if mark[0] == _EXAMPLES) if marks else marks


def _positions(site: Site) -> set[int]:
    """The arguments that a gradient is taken by; -1 where that is not known."""
    args, keywords = site.info["args"], site.info["keywords"]
    given: Value | None = args[0] if args else keywords.get("argnums")
    if given is None:
        return {_DEFAULT}
    items = given.only.items if isinstance(given.only, Tuple) else (given,)
    numbers = [item.constant for item in items]
    return {number if type(number) is int else -1 for number in numbers}


def _place_of_gradient(site: Site) -> tuple[int, ...] | None:
    """Where in the result the gradient stands; None where it is unknown."""
    if site.info["word"] == "value_and_grad":
        return (1,)
    args, keywords = site.info["args"], site.info["keywords"]
    aux: Value | None = args[1] if len(args) > 1 else keywords.get("has_aux")
    if aux is None or aux.constant is False:
        return ()
    return (0,) if aux.constant is True else None


def _marked(value: Value, place: tuple[int, ...], marks: Marks) -> Value:
    """The gradient, or each of several, is marked: of a tree only its root."""
    atom = value.only
    if isinstance(atom, Tuple):
        chosen = range(len(atom.items)) if not place else place[:1]
        items = tuple(
            _marked(item, place[1:], marks) if index in chosen else item
            for index, item in enumerate(atom.items)
        )
        return Value((Tuple(items, atom.origin),), False, value.marks, value.choice)
    return value if place else value.marked(marks)


def _is_read_once(function: Function, span: Span, place: tuple[int, ...]) -> bool:
    """Does one place read the gradient, and is that no `return`?"""
    steps = steps_of(function)
    made = next((i for i in steps if i[0] == "call" and i[-1] == span), None)
    return made is not None and _reads(function, made[1], place) <= 1


def _reads(function: Function, register: Register, place: tuple[int, ...]) -> int:
    """How often a register, or what stands at a place in it, is read; often if it is kept."""
    count = 0
    for number, step in enumerate(steps_of(function)):
        if register not in used_registers(step):
            continue
        if step[0] == "unpack" and step[4] is None:
            parts = step[3][place[0] : place[0] + 1] if place else step[3]
            count += max((_reads(function, part, place[1:]) for part in parts), default=0)
        elif step[0] == "store":
            loads = _loads_after(function, step[2], number + 1)
            count += len(loads) if not place else _OFTEN * bool(loads)
        else:
            count += _OFTEN if step[0] in ("return", "setattr", "yield") else 1
    return count


_OFTEN = 2


def _loads_after(function: Function, name: str, begin: int) -> list[Span]:
    """The reads of a name from a step on, up to where it is bound again."""
    if name in function.captured:
        return [(0, 0, 0, 0)] * _OFTEN
    found: list[Span] = []
    for step in steps_of(function)[begin:]:
        if step[0] == "store" and step[2] == name:
            break
        if step[0] == "load" and step[2] == name:
            found.append(step[-1])
    return found


def _is_only_read(function: Function, span: Span) -> bool:
    """Does nothing else read the tree that the call there averages?"""
    steps = steps_of(function)
    call = next((i for i in steps if i[0] == "call" and i[-1] == span), None)
    if call is None or len(call[3]) < 2:
        return False
    at = next((k for k, i in enumerate(steps) if i[0] == "load" and i[1] == call[3][1][1]), None)
    if at is None:
        return True
    name = steps[at][2]
    bound = (k + 1 for k, i in enumerate(steps[:at]) if i[0] == "store" and i[2] == name)
    return len(_loads_after(function, name, max(bound, default=0))) == 1


def _is_mean(function: Function) -> bool:
    """`lambda g: g.mean(0)`, `lambda g: jnp.mean(g, axis=0)`: of the leading axis."""
    steps = [i for i in steps_of(function) if i[0] != "annotated"]
    names = [p.name for p in function.parameters]
    by_register = {i[1]: i for i in steps if isinstance(i[1], int)}
    given = next((by_register.get(i[2]) for i in steps if i[0] == "return"), None)
    callee = by_register.get(given[2]) if given is not None and given[0] == "call" else None
    if given is None or callee is None or callee[0] != "attr" or callee[3] != "mean":
        return False
    values = [by_register.get(register) for _, register in given[3]]
    axis = next((by_register.get(r) for word, r in given[4] if word == "axis"), None)
    base = by_register.get(callee[2])
    if base is None or base[0] != "load":
        return False
    if base[2] not in names:  # a module
        base, *values = values or [None]
    if axis is None:
        axis = values[0] if values else None
    is_leaf = base is not None and base[0] == "load" and [base[2]] == names
    return is_leaf and axis is not None and axis[0] == "const" and axis[2] == 0
