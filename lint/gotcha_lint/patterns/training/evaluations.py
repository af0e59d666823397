"""Functions that evaluate a model, by their names, and run it as in training (`patterns`; may).

A function evaluates by its own name, by that of a function around it, or where all functions of the
file that call it do. What is differentiated trains. A model of linen is told by a flag of the call;
one of nnx keeps its mode, which methods of the file switch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.flags import TRAIN
from gotcha_lint.patterns.training.differentiated import differentiated
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.enclosing import Around
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.origins import Origins

_EVALUATES = frozenset(("eval", "evaluate", "evaluation", "validate", "validation"))
_PREDICTS = frozenset(("predict", "infer", "inference"))
_TRAINS = frozenset(("train", "training", "dropout", "mc", "init"))
_APPLY = frozenset(("apply", "apply_fn"))
_SWITCHES = frozenset(("eval", "set_attributes", "view", "inference", *TRAIN))
_LAYERS = ("dropout", "batchnorm")
_LINEN, _NNX = "flax.linen.Module", "flax.nnx.Module"
_DEPTH = 4

Models = Callable[[Function, str], Iterable[Function]]
"""The classes of the models that a parameter holds, or whose `apply` it does."""


@dataclass(frozen=True)
class Evaluated:
    """`flag`: what says that a linen model trains, or `parameter`: the nnx model.

    `called`: functions that evaluate because all calls in this file come from evaluations.
    """

    function: Function
    span: Span
    flag: str = ""
    parameter: str = ""
    called: tuple[str, ...] = ()


class Evaluations:
    """Answers for one file."""

    def __init__(self, origins: Origins, module: Module, models: Models) -> None:
        self.origins, self.links, self.module = origins, origins.links, module
        self._models = models
        self.bodies = origins.links.bodies(module)
        self._differentiated: set[Function] | None = None

    def found(self) -> Iterator[Evaluated]:
        for function in self.bodies:
            if function.is_module or function.is_class:
                continue
            yield from self._of_linen(function)
            if _evaluates(function.name) and not self._called_by_evaluations(function, _DEPTH):
                yield from self._of_nnx(function)

    # Linen

    def _of_linen(self, function: Function) -> Iterator[Evaluated]:
        every = [
            i
            for i in steps_of(function)
            if i[0] == "call" and self.links.word(function, i[2]) in _APPLY
        ]
        flags = [(call, flag) for call in every if (flag := self._flag(function, call))]
        if len(flags) < len(every):  # an `if` chooses the mode
            around = self.origins.reader(function).around
            flags = [(call, flag) for call, flag in flags if not _is_guarded(around[id(call)])]
        if flags and self._is_evaluation(function):
            for call, flag in flags:
                if not self._lacks_layers(function, call):
                    called = tuple(sorted(self._called(function, _DEPTH)))
                    yield Evaluated(function, call[-1], flag, called=called)

    def _flag(self, function: Function, call: Instruction) -> str:
        """What tells a linen model in this call that it trains: `train=True`, or its default."""
        makers = self.links.makers(function)
        for name, register in call[4]:
            if name in TRAIN and makers.get(register, ("",))[:3:2] == ("const", TRAIN[name]):
                return f"`{name}={TRAIN[name]}`"
        names = {name for name, _ in call[4]}
        run = [] if "method" in names else list(self._run_by(function, call))
        if len(run) != 1 or None in names or any(star for star, _ in call[3]):
            return ""
        places = [p.name for p in run[0].parameters if p.kind == "pos"]  # for `self`: variables
        for name, (_, register) in zip(places, call[3], strict=False):
            names.add(name)
            if name in TRAIN and makers.get(register, ("",))[:3:2] == ("const", TRAIN[name]):
                return f"`{name}={TRAIN[name]}`"
        if names.isdisjoint(("rngs", "mutable")):
            return ""
        defaults = self._defaults(run[0])
        left = sorted(n for n, value in defaults.items() if n not in names and TRAIN[n] is value)
        return f"the default `{left[0]}={TRAIN[left[0]]}`" if left else ""

    def _defaults(self, function: Function) -> dict[str, object]:
        """Flags of a function with a default that is written out."""
        owner = function.parent
        found: dict[str, object] = {}
        for i in steps_of(owner) if owner is not None else ():
            if i[0] == "closure" and i[2] is function and owner is not None:
                for name, register in i[3]:
                    made = self.links.makers(owner).get(register)
                    if name in TRAIN and made is not None and made[0] == "const":
                        found[name] = made[2]
        return found

    def _run_by(self, function: Function, call: Instruction) -> Iterator[Function]:
        """`__call__` of the model whose `apply` this is."""
        for cls in self._applied(function, call):
            found = self.links.in_class(cls, "__call__")
            made = None if found is None else self.links.makers(found[0]).get(found[1])
            while made is not None and made[0] == "call" and len(made[3]) == 1 and found:
                made = self.links.makers(found[0]).get(made[3][0][1])  # `nn.compact`
            if made is not None and made[0] == "closure":
                yield made[2]

    def _applied(self, function: Function, call: Instruction) -> Iterator[Function]:
        makers = self.links.makers(function)
        callee = makers.get(call[2])
        base: Register | None = callee[2] if callee is not None and callee[0] == "attr" else None
        if base is None:
            return
        link = self.links.of_register(function, base)
        if (
            link is not None
            and link.kind == "instance"
            and _LINEN in self._libraries(link.function)
        ):
            yield link.function
            return
        loaded = makers.get(base)
        if loaded is None or loaded[0] != "load" or loaded[3] != 0:
            return
        found = list(self._models(function, loaded[2]))
        given = None if found else self.origins.given_by_caller(function, loaded[2])
        held = self.links.makers(given[0]).get(given[1]) if given is not None else None
        if given is not None and held is not None and held[0] == "load" and held[3] == 0:
            found = list(self._models(given[0], held[2]))
        yield from found

    def _libraries(self, cls: Function) -> set[str]:
        return {name for _, parts in self.links.lineage(cls) or () for name in parts.library}

    def _lacks_layers(self, function: Function, call: Instruction) -> bool:
        """The module that is applied stands in this file, and names none of these layers."""
        for cls in self._applied(function, call):
            if cls.path == function.path:
                methods = [f for f in self.module.functions if _is_below(f, cls)]
                words = {cls.name, *(name for one in methods for name in names_used(one))}
                if not any(word in name.lower() for name in words for word in _LAYERS):
                    return True
        return False

    # Who evaluates

    def _is_evaluation(self, function: Function) -> bool:
        if function in self._trained():
            return False  # what is differentiated trains, or tests the gradient
        names = list(_names_around(function))
        if any(map(_trains, names)):
            return False
        if _words(names[0])[0] in _PREDICTS or any(map(_evaluates, names)):
            return True
        of_class = function.parent is not None and function.parent.is_class
        return not of_class and self._called_by_evaluations(function, _DEPTH)

    def _called_by_evaluations(self, function: Function, depth: int) -> bool:
        """All calls that the file has of it come from evaluations, directly or through others."""
        callers = {c for c in self.origins.callers(function) if c is not function}
        return bool(callers) and all(self._is_one(caller, depth) for caller in callers)

    def _is_one(self, function: Function, depth: int) -> bool:
        if function.is_module or function.is_class:
            return False
        if _evaluates(function.name):
            return True
        trains = _trains(function.name)
        return depth > 0 and not trains and self._called_by_evaluations(function, depth - 1)

    def _called(self, function: Function, depth: int) -> set[str]:
        """The functions that evaluate because of their callers alone, up from this one."""
        names = list(_names_around(function))
        if _words(names[0])[0] in _PREDICTS or any(map(_evaluates, names)) or not depth:
            return set()
        callers = {c for c in self.origins.callers(function) if c is not function}
        return {function.name}.union(*(self._called(one, depth - 1) for one in callers))

    def _trained(self) -> set[Function]:
        """What the file differentiates, and what that calls."""
        if self._differentiated is None:
            self._differentiated = differentiated(self.links, self.bodies)
        return self._differentiated

    # Nnx

    def _of_nnx(self, function: Function) -> Iterator[Evaluated]:
        words = {name for i in steps_of(function) if i[0] == "call" for name, _ in i[4]}
        if not _SWITCHES.isdisjoint(names_used(function) | words):
            return
        for parameter in function.parameters:
            link = self.links.of_name(function, parameter.name, 0, 0)
            if link is None or link.kind != "instance" or parameter.span is None:
                continue
            if _NNX in self._libraries(link.function) and self._only_trains(link.function):
                yield Evaluated(function, parameter.span, parameter=parameter.name)

    def _only_trains(self, cls: Function) -> bool:
        """Calls of the file switch it to training, and none to evaluation."""
        said: set[str] = set()
        for body in self.bodies:
            for i in steps_of(body):
                callee = self.links.makers(body).get(i[2]) if i[0] == "call" else None
                if callee is None or callee[0] != "attr" or callee[3] not in _SWITCHES:
                    continue
                link = self.links.of_register(body, callee[2])
                if link is not None and link.kind == "instance":
                    if self._are_kin(link.function, cls):
                        said.add(callee[3])
                elif callee[3] != "train":
                    said.add(callee[3])
        return "train" in said and said.isdisjoint(("eval", "set_attributes"))

    def _are_kin(self, one: Function, other: Function) -> bool:
        above = [{body for body, _ in self.links.lineage(cls) or ()} for cls in (one, other)]
        return one in above[1] or other in above[0]


def _evaluates(name: str) -> bool:
    return _words(name)[0] in _EVALUATES and not _trains(name)


def _trains(name: str) -> bool:
    return not _TRAINS.isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    return name.lower().strip("_").split("_")


def _names_around(function: Function) -> Iterator[str]:
    """Its own name, and those of the functions that it is defined in."""
    current: Function | None = function
    while current is not None and not current.is_module:
        if not current.is_class:
            yield current.name
        current = current.parent


def _is_below(function: Function, cls: Function) -> bool:
    outer: Function | None = function
    while outer is not None and outer is not cls:
        outer = outer.parent
    return outer is cls


def _is_guarded(around: tuple[Around, ...]) -> bool:
    return any(block[0] == "if" for block, _ in around)
