"""Names that no way through a body has bound where they are read (floor `program`).

Annotations read names, too, where Python evaluates them. Whatever the conditions are: a name counts
as bound where any way may have bound it. In a loop that is what its body binds, in a handler what
the body of the `try` binds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import bodies, instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Region, Span

_OF_MODULES = frozenset(
    ("__name__", "__file__", "__doc__", "__path__", "__spec__", "__package__", "__loader__",
     "__builtins__", "__annotations__", "__debug__", "__dict__", "__class__", "__module__",
     "__qualname__")
)  # fmt: skip
_OF_OTHERS = frozenset(  # who runs the file puts them there: IPython, profilers, gettext
    (
        "get_ipython",
        "display",
        "profile",
        "_",
        "reveal_type",
        "WindowsError",
        "spark",
        "dbutils",
        "snakemake",
    )
)
_MAKING = frozenset(("globals", "locals", "exec"))


@dataclass(frozen=True)
class Unbound:
    """`within`: whose code reads it; `annotates`: in an annotation, which Python 3.14 puts off."""

    name: str
    span: Span
    within: Function
    annotates: bool


def unbound(module: Module, function: Function, builtins: frozenset[str]) -> Iterator[Unbound]:
    """Its own names (of a module: those of the module) that nothing has bound."""
    if function.is_notebook or function.is_class:
        return
    own = -1 if function.is_module else 0
    bound = names_of(module) if function.is_module else function.locals
    names = {name for name in bound if "%" not in name}
    names -= {parameter.name for parameter in function.parameters}
    for other in module.functions:
        names -= other.globals if function.is_module else other.nonlocals
    if function.is_module:
        names -= _OF_MODULES | builtins
    flow = _Flow(names, own)
    flow.walk(function.body, set(), trying=False)
    if flow.found and not (function.is_module and _makes_names(module)):
        for name, place in flow.found.items():
            yield Unbound(name, place[0], function, place[1])


def undefined(module: Module, builtins: frozenset[str]) -> Iterator[Unbound]:
    """Names that neither the module nor Python has: the first place of each in each function."""
    top = module.top
    if top.is_notebook or module.has_type_parameters or module.path.endswith(".pyi"):
        return
    known = names_of(module) | builtins | _OF_MODULES | _OF_OTHERS
    for function in bodies(module):
        flow = _Flow(None, -1)
        flow.walk(function.body, set(known), trying=False)
        if flow.found and _makes_names(module):
            return
        for name, place in flow.found.items():
            yield Unbound(name, place[0], function, place[1])


def names_of(module: Module) -> set[str]:
    """The names that the file binds for itself, at its top and by `global` in a function."""
    found = {i[2] for i in instructions(module.top.body) if i[0] == "store" and i[3] == -1}
    return found.union(*(function.globals for function in module.functions))


def _makes_names(module: Module) -> bool:
    """Are names bound in ways that are not written down?"""
    for function in module.functions:
        for i in steps_of(function):
            if i[0] == "importstar" or (i[0] == "load" and i[2] in _MAKING):
                return True
    return False


class _Flow:
    """Which names may be bound at each read; `names`: those that count, None: all."""

    def __init__(self, names: set[str] | None, own: int) -> None:
        self.names = names
        self.own = own
        self.found: dict[str, tuple[Span, bool]] = {}  # ... and whether an annotation reads it

    def walk(self, code: Region, bound: set[str], trying: bool) -> set[str]:
        for instruction in code:
            bound = self._step(instruction, bound, trying)
        return bound

    def _step(self, i: Instruction, bound: set[str], trying: bool) -> set[str]:
        operation = i[0]
        if operation == "load":
            self._read(i[2], i[3], i[-1], bound, trying)
        elif operation == "annotated":
            for name, hops, span in i[2]:
                self._read(name, hops, span, bound, trying, annotates=True)
        elif operation == "store":
            if i[3] in (self.own, 0):
                bound.add(i[2])
        elif operation == "class" and self.own == -1 and self.names is not None:
            self.walk(i[2].body, set(bound), trying)  # it runs here
        elif operation == "if":
            _, _, _, then, otherwise, _, _ = i
            return self.walk(then, set(bound), trying) | self.walk(otherwise, set(bound), trying)
        elif operation in ("for", "while"):
            return self._loop(i, bound, trying)
        elif operation == "try":
            return self._attempt(i, bound, trying)
        return bound

    def _read(
        self,
        name: str,
        hops: int,
        span: Span,
        bound: set[str],
        trying: bool,
        annotates: bool = False,
    ) -> None:
        counts = "%" not in name and (self.names is None or name in self.names)
        if hops == self.own and counts and not trying and name not in bound:
            self.found.setdefault(name, (span, annotates))

    def _loop(self, i: Instruction, bound: set[str], trying: bool) -> set[str]:
        regions = [part for part in i if isinstance(part, list)]
        inside = set(bound)
        for region in regions:
            inside |= _stores(region)
        for region in regions:
            self.walk(region, set(inside), trying)
        return inside

    def _attempt(self, i: Instruction, bound: set[str], trying: bool) -> set[str]:
        _, _, body, handlers, otherwise, final, _ = i
        after = self.walk(body, set(bound), trying or bool(handlers))
        anywhere = bound | _stores(body)
        ends = self.walk(otherwise, after, trying)
        for handler in handlers:
            ends = ends | self.walk(handler, set(anywhere), trying)
        return self.walk(final, ends | anywhere, trying)


def _stores(region: Region) -> set[str]:
    return {i[2] for i in instructions(region) if i[0] == "store" and i[3] in (0, -1)}
