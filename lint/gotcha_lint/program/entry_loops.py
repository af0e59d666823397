"""What a loop goes over, as the text says: the entries of a dictionary, leaves of a tree, data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction

_ENTRIES = frozenset(
    ("items", "values", "leaves", "tree_leaves", "flatten_dict", "to_flat_state",
     "leaves_with_path", "tree_leaves_with_path")
)  # fmt: skip
_HANDS_ON = frozenset(("enumerate", "zip", "sorted", "list", "tuple", "reversed", "tqdm"))
_STEPS = 3  # of functions that hand on what they are given


@cache
def entry_loops(function: Function) -> frozenset[tuple[int, int]]:
    """Where they start: lines and columns."""
    steps = list(steps_of(function))
    makers = {step[1]: step for step in steps if isinstance(step[1], int)}
    found = (s for s in steps if s[0] == "for" and _gives_entries(makers, s[2], 0))
    return frozenset((step[-1][0], step[-1][1]) for step in found)


def _gives_entries(makers: dict[int, Instruction], register: int, depth: int) -> bool:
    made = makers.get(register)
    if made is None or made[0] != "call" or depth > _STEPS:
        return False
    callee = makers.get(made[2])
    word = "" if callee is None else str(callee[3] if callee[0] == "attr" else callee[2])
    if word in _ENTRIES:
        return True
    return word in _HANDS_ON and any(_gives_entries(makers, r, depth + 1) for _, r in made[3])


_LOADERS = frozenset(("loader", "loaders", "dataloader", "dataset", "ds"))
_BATCHES = frozenset(("batches", "minibatches"))
_BATCH = frozenset(("batch", "minibatch", "mini_batch"))


@cache
def goes_over(function: Function, place: tuple[int, int]) -> str:
    """ "loader" or "batches": what the loop there goes over, as its name says; "" if neither."""
    steps = list(steps_of(function))
    makers = {step[1]: step for step in steps if isinstance(step[1], int)}
    loop = next((s for s in steps if s[0] == "for" and s[-1][:2] == place), None)
    if loop is None:
        return ""
    words = set(_words_of(makers, loop[2], 0))
    if words & _LOADERS:
        return "loader"
    return "batches" if words & _BATCHES or _takes_batch(loop) else ""


def _takes_batch(loop: Instruction) -> bool:
    """`for batch in data`, `for i, batch in enumerate(data)`: what it takes is called a batch."""
    taken: set[object] = {loop[3]}
    for step in loop[4]:
        if step[0] == "unpack" and step[1] in taken:
            taken.update(step[2])
        elif step[0] == "store" and step[4] in taken and str(step[2]).lower() in _BATCH:
            return True
    return False


def _words_of(makers: dict[int, Instruction], register: int, depth: int) -> Iterator[str]:
    """Of the name that is iterated, through `enumerate(...)` and others like it."""
    made = makers.get(register)
    if made is None or depth > _STEPS:
        return
    if made[0] in ("load", "attr"):
        yield from str(made[2] if made[0] == "load" else made[3]).lower().split("_")
    elif made[0] == "call":
        callee = makers.get(made[2])
        word = "" if callee is None else str(callee[3] if callee[0] == "attr" else callee[2])
        if word in _HANDS_ON:
            for _, given in made[3]:
                yield from _words_of(makers, given, depth + 1)
