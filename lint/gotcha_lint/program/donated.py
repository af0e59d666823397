"""What becomes of a buffer that a call gives away, by the text of functions (floor `program`).

A buffer is only taken for a result of the same shape. That there is one is read from the text: the
result is named after the argument, or the function returns what becomes of its parameter. It
under-approximates; so does the question what needs the buffer of an array after that.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register, Span

# What can be asked of an array whose buffer is gone.
_METADATA = frozenset(
    ("shape", "ndim", "dtype", "size", "nbytes", "itemsize", "sharding", "aval", "weak_type",
     "is_deleted", "delete", "committed", "keys")
)  # fmt: skip
# Calls that look at shapes and types, or ask whether the buffer is there.
_LOOKS = ("lower", "trace", "eval_shape", "typeof", "like", "structure", "deleted")
_HARMLESS = frozenset(("type", "id", "isinstance", "len"))
# Functions and methods whose result has the shape of an argument.
_LIKE = frozenset(
    ("where", "add", "subtract", "multiply", "divide", "maximum", "minimum", "clip", "copy",
     "asarray", "array", "exp", "tanh", "abs", "sqrt", "square", "negative", "map", "tree_map",
     "apply_updates", "scan", "while_loop", "fori_loop", "pmean", "psum", "astype", "replace",
     "_replace", "set", "apply_gradients", "dynamic_update_slice", "dynamic_update_slice_in_dim",
     "merge", "update", "zeros_like", "ones_like", "with_sharding_constraint", "stop_gradient")
)  # fmt: skip
_GIVES = frozenset(("return", "raise", "yield", "yieldfrom", "await", "if", "assert", "for"))
_DEPTH = 6


def names_stored(function: Function) -> list[str]:
    """Its own names, and its parameters."""
    own = -1 if function.is_module else 0
    stored = {i[2] for i in steps_of(function) if i[0] == "store" and i[3] == own}
    return sorted(stored | {parameter.name for parameter in function.parameters})


def call_at(function: Function, span: Span) -> Instruction | None:
    return next((i for i in steps_of(function) if i[0] == "call" and i[-1] == span), None)


def text_of(function: Function, register: Register) -> str:
    """`state`, `self.params`; empty for what is no name."""
    made = _makers(function).get(register)
    if made is None or made[0] not in ("load", "attr"):
        return ""
    if made[0] == "load":
        return str(made[2])
    base = text_of(function, made[2])
    return f"{base}.{made[3]}" if base else ""


def is_bound_again(function: Function, name: str) -> bool:
    """Is there more than one place that binds the name?"""
    return sum(i[0] == "store" and i[2] == name for i in steps_of(function)) > 1


def written_parts(function: Function, register: Register) -> tuple[Register, ...]:
    """Of a display, what it is written out of; else the register itself."""
    made = _makers(function).get(register)
    if made is not None and made[0] == "build":
        return tuple(part for _, part in made[3])
    if made is not None and made[0] == "dict":
        return tuple(part for _, part in made[2])
    return (register,)


def is_renewed(function: Function, call: Instruction, text: str) -> bool:
    """`state = step(state)`, `new_state, loss = step(state)`: a target has the name in it."""
    last = text.rpartition(".")[2]
    targets = {call[1]}
    for i in steps_of(function):
        if i[0] == "unpack" and i[2] in targets:
            targets.update(i[3])
    return bool(last) and any(
        (i[0] == "store" and i[4] in targets and last in i[2])
        or (i[0] == "setattr" and i[4] in targets and last in i[3])
        for i in steps_of(function)
    )


def gives_back(function: Function, parameter: str) -> bool:
    """Does the function return a value of the shape of this parameter, or one that holds it?"""
    kept: set[Register] = set()
    names = {parameter}
    for i in steps_of(function):
        if i[0] == "load" and i[2] in names:
            kept.add(i[1])
        elif i[0] == "store" and i[4] in kept:
            names.add(i[2])
        elif i[0] == "unpack":
            names.update(_updated(function, i, names) if i[2] not in kept else ())
            kept.update(i[3] if i[2] in kept else ())
        elif i[0] in ("attr", "item", "binop", "unop", "build", "dict"):
            if not kept.isdisjoint(_operands(i)):
                kept.add(i[1])
        elif i[0] == "call" and _keeps(function, i, kept):
            kept.add(i[1])
        elif i[0] == "return" and i[2] in kept:
            return True
    return False


def needs_buffer(function: Function, register: Register, depth: int = 0) -> bool:
    """Does anything that is done with the value read the array itself?"""
    if depth > _DEPTH:
        return True
    return any(
        _needs(function, i, register, depth)
        for i in steps_of(function)
        if register in used_registers(i) or (i[0] in _GIVES and i[2] == register)
    )


def mentions_between(function: Function, head: str, first: Span, last: Span) -> bool:
    """Is a method of this called, or is it given to a function, between two places?"""
    makers = _makers(function)
    return any(
        i[0] == "call"
        and first < i[-1]
        and i[-1] != last
        and any(_head(makers, register) == head for register in _registers(i))
        for i in steps_of(function)
        if i[-1] < last or i[-1][0] < last[0]
    )


def copied_from(function: Function, name: str) -> set[str]:
    """`params` of `best = params`, which copies nothing."""
    return {text_of(function, i[4]) for i in steps_of(function) if i[0] == "store" and i[2] == name}


def stored_at(function: Function, name: str, before: Span) -> Span | None:
    """The last place above that a name is stored at."""
    found = [i[-1] for i in steps_of(function) if i[0] == "store" and i[2] == name]
    return max((span for span in found if span[0] < before[0]), default=None)


def _registers(call: Instruction) -> tuple[Register, ...]:
    return (call[2], *(register for _, register in (*call[3], *call[4])))


def _needs(function: Function, i: Instruction, register: Register, depth: int) -> bool:
    if i[0] == "attr":
        return i[3] not in _METADATA and needs_buffer(function, i[1], depth + 1)
    if i[0] == "item" and i[2] == register:
        return needs_buffer(function, i[1], depth + 1)
    if i[0] == "compare":
        return i[2] not in ("Is", "IsNot")
    if i[0] == "call" and register != i[2]:
        word = _word(function, i[2])
        looks = word in _HARMLESS or word.lower().endswith(_LOOKS)
        return not looks and not _asks_leaves(function, i)
    return True


def _asks_leaves(function: Function, call: Instruction) -> bool:
    """`jax.tree.map(lambda leaf: leaf.delete(), x)`"""
    made = _makers(function).get(call[3][0][1]) if call[3] else None
    if made is None or made[0] != "closure":
        return False
    return any(i[0] == "attr" and i[3] in _METADATA for i in steps_of(made[2]))


def _operands(i: Instruction) -> tuple[Register, ...]:
    if i[0] in ("attr", "item"):
        return (i[2],)
    if i[0] == "binop":
        return tuple(i[3:5])
    if i[0] == "unop":
        return (i[3],)
    return tuple(part for _, part in (i[3] if i[0] == "build" else i[2]))


def _keeps(function: Function, call: Instruction, kept: set[Register]) -> bool:
    made = _makers(function).get(call[2])
    word = _word(function, call[2])
    if made is not None and made[0] == "attr" and word in _LIKE and made[2] in kept:
        return True
    given = {register for _, register in (*call[3], *call[4])}
    return (word in _LIKE or word[:1].isupper()) and not kept.isdisjoint(given)


def _updated(function: Function, unpack: Instruction, names: set[str]) -> Iterator[str]:
    """`updates, new_state = tx.update(grads, state)`: named after what it was given."""
    makers = _makers(function)
    made = makers.get(unpack[2])
    if made is None or made[0] != "call":
        return
    given = {_head(makers, register) for _, register in (*made[3], *made[4])} & names
    for i in steps_of(function):
        if i[0] == "store" and i[4] in unpack[3] and any(name in i[2] for name in given):
            yield i[2]


def _makers(function: Function) -> dict[Register, Instruction]:
    return {i[1]: i for i in steps_of(function)}


def _head(makers: dict[Register, Instruction], register: Register) -> str:
    made = makers.get(register)
    while made is not None and made[0] in ("attr", "item"):
        made = makers.get(made[2])
    return str(made[2]) if made is not None and made[0] == "load" else ""


def _word(function: Function, register: Register) -> str:
    made = _makers(function).get(register)
    if made is None:
        return ""
    return str(made[3] if made[0] == "attr" else made[2] if made[0] == "load" else "")
