"""Checkpoints that are put into a tree without a look at their shapes (floor `patterns`).

Over-approximates where other files call the function: what they check is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers, dotted

# Function -> where the target stands among its arguments.
_RESTORES = {
    "flax.serialization.from_bytes": (0, "target"),
    "flax.serialization.from_state_dict": (0, "target"),
    "flax.nnx.replace_by_pure_dict": (0, "state"),
    "flax.training.checkpoints.restore_checkpoint": (1, "target"),
    "orbax.checkpoint.PyTreeCheckpointer.restore": (1, "item"),
}
_WORDS = frozenset(name.rpartition(".")[2] for name in _RESTORES)
# Those that are given a dict -> where it stands.
_GIVEN = {
    "flax.serialization.from_state_dict": (1, "state"),
    "flax.nnx.replace_by_pure_dict": (1, "pure_dict"),
}
_IN_PLACE = frozenset(("flax.nnx.replace_by_pure_dict",))
_CONVERSIONS = frozenset(("to_state_dict", "to_pure_dict"))
_LOADING = ("restore", "load", "read", "open", "from_bytes", "fetch")
_NUMBERS = frozenset(("asarray", "array", "int", "float", "int32", "float32"))


def unchecked_shapes(origins: Origins, function: Function) -> Iterator[tuple[Span, str]]:
    """The calls of one function, with what is called."""
    makers = origins.links.makers(function)
    thrown = {i[2] for i in steps_of(function) if i[0] == "discard"}
    for i in steps_of(function):
        word = dotted(makers, i[2]).rpartition(".")[2] if i[0] == "call" else ""
        callee = makers.get(i[2]) if i[0] == "call" else None
        word = callee[3] if callee is not None and callee[0] == "attr" else word
        name = origins.called(function, i) if word in _WORDS else ""
        if name not in _RESTORES or "restore_args" in dict(i[4]):
            continue
        if (i[1] in thrown and name not in _IN_PLACE) or not _has_target(
            origins, function, i, name
        ):
            continue
        if "from_state_dict" in function.name or _is_in_memory(origins, function, i, name):
            continue  # how a class of its own is restored: its caller has the whole checkpoint
        if not _looks_at_shapes(origins, function):
            yield i[-1], word


def _argument(call: Instruction, place: int, name: str) -> Register | None:
    """By its name, also beside others by their place: `restore(path, options, item=None)`."""
    named = dict(call[4]).get(name)
    return call[3][place][1] if named is None and place < len(call[3]) else named


def _has_target(origins: Origins, function: Function, call: Instruction, name: str) -> bool:
    """Not None or a class; nor a part of a tree, in the handler of a class of its own."""
    target = _argument(call, *_RESTORES[name])
    if target is None or "name" in dict(call[4]):
        return False
    made = origins.reader(function).made(target)
    is_none = made is not None and made[0] == "const" and made[2] is None
    name = origins.names.of_call(function, made) if made is not None and made[0] == "call" else ""
    if name.startswith("orbax.checkpoint.args."):  # how it is restored, not into what
        return False
    link = origins.links.of_register(function, target)
    return not is_none and (link is None or link.kind != "class")


def _is_in_memory(origins: Origins, function: Function, call: Instruction, name: str) -> bool:
    """What is given was computed from the target itself, or the target is a mere count."""
    target = _argument(call, *_RESTORES[name])
    given = _argument(call, *_GIVEN[name]) if name in _GIVEN else None
    if target is None:
        return False
    if given is None:
        return _is_number(origins, function, target)
    return _Flow(origins, function).goes_back(target, given)


def _is_number(origins: Origins, function: Function, register: Register) -> bool:
    """A count, `jnp.asarray(0)`, by itself or under a name: it has no shape to be wrong."""
    reader = origins.reader(function)
    made = reader.made(register)
    if made is not None and made[0] == "call" and len(made[3]) == 1 and not made[4]:
        return reader.function_of(made) in _NUMBERS and _is_number(origins, function, made[3][0][1])
    return made is not None and made[0] == "const" and isinstance(made[2], int | float)


def _looks_at_shapes(origins: Origins, function: Function) -> bool:
    """The function mentions shapes or a check of structures, or it is kept by a check."""
    if _mentions_shapes(function) or _calls_a_check(origins, function):
        return True
    callers = origins.callers(function)
    return bool(callers) and all(_calls_a_check(origins, caller) for caller in callers)


def _calls_a_check(origins: Origins, function: Function) -> bool:
    """`raise_on_mismatch(target, restored)`"""
    return any(
        _only_raises(called) and any(map(_mentions_shapes, (called, *_called(origins, called))))
        for called in _called(origins, function)
    )


def _called(origins: Origins, function: Function) -> Iterator[Function]:
    """The functions of the file's own that it calls by their names."""
    for i in steps_of(function):
        link = origins.links.of_register(function, i[2]) if i[0] == "call" else None
        if link is not None and link.kind == "function" and link.function.path == function.path:
            yield link.function


def _only_raises(function: Function) -> bool:
    """It gives nothing back: what it is called for is to stop the program."""
    code = steps_of(function)
    gives = any(i[0] == "return" and i[2] is not None for i in code)
    return not gives and any(i[0] in ("raise", "assert") for i in code)


def _mentions_shapes(function: Function) -> bool:
    return any("shape" in word or "assert_trees" in word for word in _words(function))


def _words(function: Function) -> Iterator[str]:
    for i in steps_of(function):
        if i[0] in ("load", "store"):
            yield i[2]
        elif i[0] in ("attr", "setattr"):
            yield i[3]
        elif i[0] == "closure":
            yield from _words(i[2])


class _Flow:
    """What the names of a function are made of, without the order."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self.function = function
        self.makers: Makers = origins.links.makers(function)
        self.elements = {i[3]: i[2] for i in steps_of(function) if i[0] == "for"}
        self.parts = {one: i[2] for i in steps_of(function) if i[0] == "unpack" for one in i[3]}

    def goes_back(self, target: Register, given: Register) -> bool:
        """`from_state_dict(tree, change(to_state_dict(tree)))`: nothing in it was stored."""
        tree, own = dotted(self.makers, target) or "a value", False
        params = {parameter.name for parameter in self.function.parameters}
        waiting, seen = [given], set[str]()
        while waiting:
            for i in list(self._outside_conversions(waiting.pop())):
                if i[0] == "call" and any(word in self._word(i) for word in _LOADING):
                    return False
                own = own or self._converted(i) == tree
                if i[0] == "load" and i[2] not in seen and not self._is_called(i):
                    seen.add(i[2])
                    if i[2] in params:
                        return False
                    waiting += self._assigned(i[2])
        return own

    def _outside_conversions(self, register: Register) -> Iterator[Instruction]:
        """The parts of an expression, without the trees that are made dicts in it."""
        made = self.makers.get(register)
        if made is None:
            inner = self.elements.get(register, self.parts.get(register))
            if inner is not None:
                yield from self._outside_conversions(inner)
            return
        yield made
        if not self._converted(made):
            for one in used_registers(made):
                if isinstance(one, int):
                    yield from self._outside_conversions(one)

    def _is_called(self, load: Instruction) -> bool:
        return any(i[0] == "call" and i[2] == load[1] for i in self.makers.values())

    def _assigned(self, name: str) -> Iterator[Register]:
        """What is put into a name: by an assignment, a loop, an item, an `update`."""
        for i in steps_of(self.function):
            owner = i[2] if i[0] == "store" else ""
            if i[0] == "setitem":
                owner = dotted(self.makers, i[2]).partition(".")[0]
            if owner == name:
                yield i[4]
            elif i[0] == "call" and dotted(self.makers, i[2]) == f"{name}.update":
                yield from (register for _, register in i[3])

    def _word(self, call: Instruction) -> str:
        callee = self.makers.get(call[2])
        if callee is None or callee[0] not in ("attr", "load"):
            return ""
        return callee[3] if callee[0] == "attr" else callee[2]

    def _converted(self, i: Instruction) -> str:
        """The tree that `to_state_dict(tree)`, `nnx.to_pure_dict(tree)`, `tree.to_pure_dict()`
        read.
        """
        if i[0] != "call" or self._word(i) not in _CONVERSIONS:
            return ""
        callee = self.makers[i[2]]
        register = i[3][0][1] if i[3] else callee[2] if callee[0] == "attr" else -1
        return dotted(self.makers, register) or "?"
