"""Objects of nnx that traced functions change, and did not make (floor `patterns`; must).

By `nnx_changes`: what a function is given by name, or captures from the functions around it. A
function is traced where the text gives it to a transform, by its own name or as a decorator does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.facts.jax import STATIC_OPTIONS
from gotcha_lint.patterns.training.nnx_changes import DRAW, GRADIENT, Change, NnxChanges
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span

# Transforms that start a trace of their own.
_STARTS = frozenset(
    ("jit", "nnx.jit", "pmap", "nnx.pmap", "shard_map", "grad", "value_and_grad", "vmap", "scan",
     "while", "cond", "fori", "checkpoint", "eval_shape")
)  # fmt: skip
_COPYING = frozenset(("jit", "pmap"))
# What a caller can put back into its own object.
_HANDED_BACK = frozenset(("flax.nnx.state", "flax.nnx.split", "flax.nnx.pop"))
_CHANGING = frozenset(("BatchNorm", "Dropout"))


@dataclass(frozen=True)
class Traced:
    """`span`: where the transform is written; `static`: names and places of static arguments."""

    function: Function
    role: str
    path: str
    span: Span
    static: frozenset[str | int] = field(default=frozenset())


class NnxTraces:
    def __init__(self, changes: NnxChanges) -> None:
        self.changes = changes
        self.links, self.names = changes.links, changes.origins.names

    def traced(self, body: Function) -> Iterator[Traced]:
        """What a body gives to transforms."""
        makers = self.links.makers(body)
        for call in steps_of(body):
            if call[0] != "call":
                continue
            row, options = self.changes.transform(body, call)
            if row is None:
                continue
            given = dict(options)
            static = {
                value
                for name in STATIC_OPTIONS
                if name in given
                for value in _constants(makers, given[name])
            }
            places = [call[3][n][1] for n in row.functions if n < len(call[3])]
            places += [given[name] for name in row.names if name in given]
            for register in places:
                function = self.changes.function_of(body, register)
                if function is not None:
                    static_names = frozenset(static)
                    yield Traced(function, row.role, body.path, call[-1], static_names)

    def captured(self, traced: Traced) -> Iterator[Change]:
        """Changes that Flax refuses: of what the trace has neither made nor been given."""
        done, steps = set[str](), list[Instruction]()
        if traced.role not in _STARTS:
            return
        every = self.changes.changes(traced.function)
        for change in sorted(every, key=lambda change: change.how == GRADIENT):
            if change.name in done or not change.sure or change.guard:
                continue
            if not _is_around(change, traced.function):
                continue
            if change.step in steps:
                continue  # an optimizer and its model
            if not self.changes.origins.is_attempted(change.within, change.step):
                done.add(change.name)
                steps.append(change.step)
                yield change

    def lost(self, traced: Traced) -> Change | None:
        """The first change of an argument that a plain jit has copied, and nothing hands back."""
        function = traced.function
        if traced.role not in _COPYING:
            return None
        places = [p.name for p in function.parameters if p.kind == "pos"]
        static = {
            places[n] for n in traced.static if type(n) is int and -len(places) <= n < len(places)
        }
        static |= {name for name in traced.static if isinstance(name, str)}
        names = {p.name for p in function.parameters if p.kind in ("pos", "kw")} - static
        own = [
            change
            for change in self.changes.changes(function)
            if change.holder is function
            and change.name in names
            and change.how != DRAW
            and not change.guard
        ]
        found = [c for c in own if c.how != GRADIENT or self._changes_itself(function, c)]
        found = [c for c in found if not self._comes_back(function, c.name)]
        return min(found, key=lambda c: (c.how == GRADIENT, c.span), default=None)

    def _changes_itself(self, function: Function, change: Change) -> bool:
        """A model with batch statistics or random masks, which its gradient runs in training."""
        link = self.links.of_name(function, change.name, 0, 0)
        if link is None or "eval" in names_used(function):
            return False
        module = self.links.finder.modules[link.function.path]
        methods = [f for f in module.functions if f.parent is link.function]
        return any(_CHANGING & names_used(method) for method in methods)

    def _comes_back(self, function: Function, name: str) -> bool:
        """The function returns the object, or its state: the caller can go on with that."""
        makers = self.links.makers(function)

        def holds(register: Register | None) -> bool:
            made = makers.get(register) if register is not None else None
            if made is None:
                return False
            if made[0] == "load":
                return made[2] == name
            if made[0] == "build":
                return any(holds(part) for _, part in made[3])
            if made[0] == "dict":
                return any(holds(part) for _, part in made[2])
            if made[0] == "call":
                callee = makers.get(made[2])  # what a transform has made gives numbers
                plain = callee is not None and callee[0] != "call"
                return plain and any(holds(part) for _, part in (*made[3], *made[4]))
            return False

        for i in steps_of(function):
            if i[0] == "call" and self.names.of_call(function, i) in _HANDED_BACK:
                if any(holds(part) for _, part in i[3]):
                    return True
            elif i[0] == "return" and holds(i[2]):
                return True
            elif i[0] == "store" and makers.get(i[4], ("",))[0] == "load" and holds(i[4]):
                return True  # `new = model`: what becomes of it is not followed
        return False


def _constants(makers: dict[Register, Instruction], register: Register) -> Iterator[str | int]:
    made = makers.get(register)
    if made is not None and made[0] == "const" and isinstance(made[2], (str, int)):
        yield made[2]
    elif made is not None and made[0] == "build":
        for _, part in made[3]:
            yield from _constants(makers, part)


def _is_around(change: Change, function: Function) -> bool:
    """Is the name that of a module, or of a function around the traced one?"""
    if change.holder.is_module:
        return True
    outer = function.parent
    while outer is not None and outer is not change.holder:
        outer = outer.parent
    return outer is change.holder
