"""What functions change of objects of nnx, by the names that hold them (`patterns`; must).

A draw counts in `nnx.Rngs`, an update writes to the model and to the optimizer, an assignment to a
variable or to a module. What a function does with its parameters is done to what its callers give.
It under-approximates: names that are bound once, functions and methods with one definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gotcha_lint.facts import Transform
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span
from gotcha_lint.program.origins import Origins

RNGS, STREAM, OPTIMIZER, MODULE, VARIABLE = "rngs", "stream", "optimizer", "module", "variable"
DRAW, UPDATE, GRADIENT, WRITE = "draws from", "updates", "takes the gradient of", "changes"
_NNX = "flax.nnx."
_KINDS = {
    "Rngs": RNGS,
    "RngStream": STREAM,
    "Optimizer": OPTIMIZER,
    "ModelAndOptimizer": OPTIMIZER,
    "Param": VARIABLE,
    "Variable": VARIABLE,
    "BatchStat": VARIABLE,
}
_GRADIENTS = frozenset(("flax.nnx.grad", "flax.nnx.value_and_grad"))
_APART = frozenset(("flax.nnx.split", "flax.nnx.state", "flax.nnx.update"))
_PARTS = frozenset(("attr", "item"))


Options = tuple[tuple[str | None, Register], ...]


@dataclass(frozen=True)
class Change:
    """`holder` has the name; `text`: the expression that names the object, in `within`.

    `sure`: the object is known to be one of nnx, not only by what else is done with the model.
    `guard`: the parameter of the function that has to be true for it.
    """

    holder: Function
    name: str
    within: Function
    step: Instruction
    text: Span
    how: str
    kind: str
    sure: bool = True
    guard: str = ""

    @property
    def span(self) -> Span:
        return self.step[-1]


class NnxChanges:
    """Answers for the functions of a program; what was asked once is kept."""

    def __init__(self, origins: Origins, transform_of: Callable[[str], Transform | None]) -> None:
        self.origins, self.links = origins, origins.links
        self._transform_of = transform_of
        self._known: dict[Function, list[Change]] = {}

    def kind(self, function: Function, register: Register) -> str:
        """What an object of nnx is; "" for what is none, or not known."""
        name = self.origins.library(function, register)
        short = name.removeprefix(_NNX)
        if short != name and "." not in short:
            return _KINDS.get(short, MODULE if short[:1].isupper() else "")
        link = self.links.of_register(function, register)
        if link is not None and link.kind == "instance":
            lineage = self.links.lineage(link.function) or []
            bases = {name for _, parts in lineage for name in parts.library}
            if f"{_NNX}Module" in bases:
                return MODULE
            if any(_KINDS.get(name.removeprefix(_NNX)) == VARIABLE for name in bases):
                return VARIABLE
        made = self.links.makers(function).get(register)
        if made is not None and made[0] == "attr":
            kind = self.kind(function, made[2])
            if kind == RNGS:
                return STREAM
            if kind == MODULE and link is None:
                return VARIABLE if self._is_variable(function, made) else ""
        return ""

    def _is_variable(self, function: Function, attribute: Instruction) -> bool:
        """Of an attribute of a module: do its methods put a variable there?"""
        link = self.links.of_register(function, attribute[2])
        found = None if link is None else self.links.written_field(link, attribute[3])
        return found is not None and self.kind(*found) == VARIABLE

    def transform(self, body: Function, call: Instruction) -> tuple[Transform | None, Options]:
        """What `jax.jit(f)`, `partial(jax.jit, ...)(f)`, `nnx.jit(...)(f)` are, with options."""
        names = self.origins.names
        row = self._transform_of(names.of_call(body, call))
        if row is not None:
            return row, call[4]
        made = self.links.makers(body).get(call[2])
        if made is None or made[0] != "call":
            return self._own_transform(body, call), call[4]
        name = names.of_call(body, made)
        if name == "functools.partial" and len(made[3]) == 1:
            name = names.of_register(body, made[3][0][1])
        elif made[3]:
            return None, ()
        row = self._transform_of(name)
        return (row, made[4]) if row is not None and row.gives == "function" else (None, ())

    def _own_transform(self, body: Function, call: Instruction) -> Transform | None:
        """A function of the program that gives `jax.jit(function)` of its first parameter."""
        link = self.links.of_register(body, call[2])
        if link is None or link.kind != "function" or not link.function.parameters:
            return None
        inner = link.function
        made = self.links.makers(inner).get(_returned(inner))
        given = made[3][0][1] if made is not None and made[0] == "call" and made[3] else -1
        load = self.links.makers(inner).get(given)
        if made is None or load is None or load[2:4] != (inner.parameters[0].name, 0):
            return None
        row = self._transform_of(self.origins.names.of_call(inner, made))
        return row if row is not None and row.gives == "function" else None

    def function_of(self, body: Function, register: Register) -> Function | None:
        """The function of the program that a value is, transformed or not."""
        found = self.origins.of(body, register)
        if found is not None and not isinstance(found[1], str):
            owner: Function = found[0]
            made: Instruction = found[1]
            while made[0] == "call" and made[3] and self.transform(owner, made)[0] is not None:
                inner = self.links.makers(owner).get(made[3][0][1])
                if inner is None:
                    break
                made = inner
            if made[0] == "closure":
                return made[2]
            if made[0] == "call":
                link = self.links.of_register(owner, made[2])
                if link is not None and link.kind == "function":
                    inner = self.origins.reader(link.function).made(_returned(link.function))
                    return inner[2] if inner is not None and inner[0] == "closure" else None
        link = self.links.of_register(body, register)
        return link.function if link and link.kind == "function" and not link.virtual else None

    def root(self, function: Function, register: Register) -> tuple[Function, str] | None:
        """The name that `a` of `a.b[0].c` is, and the function that has it."""
        makers = self.links.makers(function)
        made = makers.get(register)
        while made is not None and made[0] in _PARTS:
            made = makers.get(made[2])
        if made is None or made[0] != "load":
            return None
        owner: Function | None = function
        if made[3] < 0:
            owner = self.links.finder.modules[function.path].top
        for _ in range(made[3]):
            owner = owner.parent if owner is not None else None
        return None if owner is None else (owner, made[2])

    def changes(self, function: Function) -> list[Change]:
        """All of a function, and of those that it calls."""
        if function not in self._known:
            self._known[function] = []  # for one that calls itself
            self._known[function] = list(self._changes(function))
        return self._known[function]

    def _changes(self, function: Function) -> Iterator[Change]:
        if function.path not in self.links.finder.modules:
            return
        for i in steps_of(function):
            if i[0] == "call":
                yield from self._of_call(function, i)
            elif i[0] in ("setattr", "setitem"):
                kind = self._written(function, i)
                if kind:
                    yield from self._made(function, i, i[2], WRITE, kind)

    def _made(
        self,
        function: Function,
        step: Instruction,
        register: Register,
        how: str,
        kind: str,
        sure: bool = True,
        guard: str = "",
    ) -> Iterator[Change]:
        root = self.root(function, register)
        if root is not None:
            text = self.links.makers(function)[register][-1]
            yield Change(*root, function, step, text, how, kind, sure, guard)

    def _of_call(self, function: Function, call: Instruction) -> Iterator[Change]:
        makers = self.links.makers(function)
        callee = makers.get(call[2])
        owner = callee[2] if callee is not None and callee[0] == "attr" else call[2]
        if self.kind(function, call[2]) in (RNGS, STREAM) or (
            owner != call[2] and self.kind(function, owner) in (RNGS, STREAM)
        ):
            yield from self._made(function, call, owner, DRAW, RNGS)
            return
        name = self.origins.names.of_call(function, call)
        given = [register for star, register in call[3] if not star]
        if name == "flax.nnx.update":
            if len(given) > 1:
                yield from self._made(function, call, given[0], WRITE, MODULE)
        elif owner != call[2] and callee is not None and callee[3] == "update" and call[3]:
            yield from self._updated(function, call, owner)
        elif name.startswith(_NNX) and name.removeprefix(_NNX)[:1].isupper():
            drawn = dict(call[4]).get("rngs")
            if drawn is not None and self.kind(function, drawn) == RNGS:
                yield from self._made(function, call, drawn, DRAW, RNGS)
        elif self.gradient_of(function, call) is not None:
            model = call[3][0][1]
            if self.kind(function, model) == MODULE or self._is_taken_apart(function, model):
                yield from self._made(function, call, model, GRADIENT, MODULE)
        yield from self._by_callee(function, call)
        yield from self._by_module(function, call)

    def _by_module(self, function: Function, call: Instruction) -> Iterator[Change]:
        """`model(x, train=True)`: what its `__call__` writes to the module, and surely does."""
        link = self.links.of_register(function, call[2])
        if link is None or link.kind != "instance" or any(star for star, _ in call[3]):
            return
        found = self.links.in_class(link.function, "__call__")
        closure = None if found is None else self.links.makers(found[0]).get(found[1])
        if closure is None or closure[0] != "closure" or not closure[2].parameters:
            return
        method: Function = closure[2]
        own, *places = [p.name for p in method.parameters if p.kind == "pos"]
        given = dict(zip(places, (register for _, register in call[3]), strict=False))
        given |= {name: register for name, register in call[4] if name is not None}
        for change in self.changes(method):
            if change.holder is method and change.name == own and change.how == WRITE:
                guard = self._guard(method, change)
                guard = self._needs(function, method, guard, given) if guard else guard
                if guard is not None:
                    yield from self._made(
                        function, call, call[2], WRITE, change.kind, change.sure, guard
                    )
                    return

    def _guard(self, method: Function, change: Change) -> str | None:
        """The parameter that has to be true for a change; None where that is not known."""
        around = _tests_around(method.body, change.step)
        if around is None or len(around) > 1 or (around and change.guard):
            return None
        if not around:
            return change.guard
        test = self.links.makers(method).get(around[0])
        own = {parameter.name for parameter in method.parameters}
        return test[2] if test is not None and test[0] == "load" and test[2] in own else None

    def _needs(
        self, function: Function, method: Function, name: str, given: dict[str, Register]
    ) -> str | None:
        """What has to be true for a call to give a true argument: "" for nothing."""
        made = self.links.makers(function).get(given[name]) if name in given else None
        if made is None:
            return None
        if made[0] == "const":
            return "" if made[2] is True else None
        own = {parameter.name for parameter in function.parameters}
        return made[2] if made[0] == "load" and made[2] in own else None

    def _updated(self, function: Function, call: Instruction, owner: Register) -> Iterator[Change]:
        """`optimizer.update(model, grads)`: in optax the gradients come first."""
        sure = self.kind(function, owner) == OPTIMIZER
        model = call[3][0][1] if not call[3][0][0] else None
        if not sure and not (model is not None and self._is_trained(function, call, model)):
            return
        yield from self._made(function, call, owner, UPDATE, OPTIMIZER, sure)
        if model is not None and (len(call[3]) > 1 or call[4]):
            yield from self._made(function, call, model, UPDATE, MODULE, sure)

    def _is_trained(self, function: Function, update: Instruction, model: Register) -> bool:
        """Does nnx differentiate the model in this function, whose gradients are given, too?"""
        if len(update[3]) < 2 and not any(name == "grads" for name, _ in update[4]):
            return False
        root = self.root(function, model)
        return root is not None and any(
            self.root(function, given) == root
            for call in steps_of(function)
            if call[0] == "call" and (given := self.gradient_of(function, call)) is not None
        )

    def gradient_of(self, function: Function, call: Instruction) -> Register | None:
        """The model of `nnx.grad(loss)(model, x)`."""
        made = self.links.makers(function).get(call[2])
        if made is None or made[0] != "call" or not call[3] or call[3][0][0]:
            return None
        is_one = self.origins.names.of_register(function, made[2]) in _GRADIENTS
        return call[3][0][1] if is_one else None

    def _is_taken_apart(self, function: Function, register: Register) -> bool:
        """A function around hands it to what takes modules alone: `nnx.split(model)`."""
        root = self.root(function, register)
        outer: Function | None = function
        while root is not None and outer is not None and not outer.is_module:
            for call in steps_of(outer):
                if call[0] != "call" or not call[3] or self.root(outer, call[3][0][1]) != root:
                    continue
                if self.origins.names.of_register(outer, call[2]) in _APART:
                    return True
            outer = outer.parent
        return False

    def _by_callee(self, function: Function, call: Instruction) -> Iterator[Change]:
        """What a function of the program changes of what it is given, and of what it captures."""
        link = self.links.of_register(function, call[2])
        own = link is not None and link.kind == "function"
        inner = link.function if link and own else self.function_of(function, call[2])
        if inner is None or any(star for star, _ in call[3]):
            return
        bound = link.bound if link and own else 0
        names = [p.name for p in inner.parameters if p.kind == "pos"]
        given = dict(zip(names[bound:], (r for _, r in call[3]), strict=False))
        given |= {name: register for name, register in call[4] if name is not None}
        callee = self.links.makers(function).get(call[2])
        if bound and names and callee is not None and callee[0] == "attr":
            given[names[0]] = callee[2]
        known: set[str] = set()
        for change in self.changes(inner):
            if change.holder is not inner:
                yield change
            elif change.name in given:
                known.add(change.name)
                yield from self._made(
                    function, call, given[change.name], change.how, change.kind, change.sure
                )
        methods = _methods(inner)
        for name, register in given.items():
            if name in known:
                continue
            kind, words = self.kind(function, register), methods.get(name, set[str]())
            if kind in (RNGS, STREAM) and words:
                yield from self._made(function, call, register, DRAW, RNGS)
            elif kind == OPTIMIZER and "update" in words:
                yield from self._made(function, call, register, UPDATE, OPTIMIZER)

    def _written(self, function: Function, store: Instruction) -> str:
        """`count.value = ...`, `count[...] += 1`, `model.scale = ...`."""
        kind = self.kind(function, store[2])
        if kind == VARIABLE:
            return kind if store[0] == "setitem" or store[3] == "value" else ""
        if kind == MODULE and store[0] == "setattr":
            return kind
        makers = self.links.makers(function)
        key = makers.get(store[3]) if store[0] == "setitem" else None
        whole = key[2] is Ellipsis if key is not None else store[3] == "value"
        made = makers.get(store[2]) if whole else None
        while made is not None and made[0] == "attr":  # `model.scale[...] = ...`
            if self.kind(function, made[2]) == MODULE:
                return VARIABLE
            made = makers.get(made[2])
        return ""


def _returned(function: Function) -> Register:
    """What a function returns, in one place; else -1."""
    results = [i[2] for i in steps_of(function) if i[0] == "return" and i[2] is not None]
    return results[0] if len(results) == 1 else -1


def _tests_around(code: Region, step: Instruction) -> list[Register] | None:
    """The tests that are true where a step runs; None where one of them is false there."""
    for i in code:
        if i is step:
            return []
        if i[0] == "if":
            inner = _tests_around(i[3], step)
            if inner is not None:
                return [i[2], *inner]
            continue
        for part in i:
            if isinstance(part, list) and part:
                for region in part if isinstance(part[0], list) else [part]:
                    inner = _tests_around(region, step)
                    if inner is not None:
                        return inner
    return None


def _methods(function: Function) -> dict[str, set[str]]:
    """What a function calls of each name: `noise` of `rngs.noise()`, "" of `rngs()`."""
    made = {i[1]: i for i in steps_of(function)}
    found: dict[str, set[str]] = {}
    for i in steps_of(function):
        callee = made.get(i[2]) if i[0] == "call" else None
        owner = made.get(callee[2]) if callee is not None and callee[0] == "attr" else callee
        if callee is not None and owner is not None and owner[0] == "load" and owner[3] == 0:
            found.setdefault(owner[2], set()).add(callee[3] if callee is not owner else "")
    return found
