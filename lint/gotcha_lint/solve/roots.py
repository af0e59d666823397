"""Where analysis starts: the modules, then what outsiders may call.

Each function that its file does not use itself, and each class, is a root, from the state that the
modules left. Parameters of a root are symbols: unknown but stable. A class is driven: made once,
and its public methods called twice, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import NO_MARKS, Value
from gotcha_lint.interpret.calls import make_instance
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.events import Event
from gotcha_lint.interpret.functions import call_function
from gotcha_lint.interpret.imports import load_module
from gotcha_lint.interpret.machine import OutOfBudget
from gotcha_lint.program.ir import Function, Module

ROOT_BUDGET = 40_000  # instructions, those of replayed callees too


@dataclass(slots=True)
class Segment:
    """What happens from one root on, in program order."""

    root: Function | None  # None: the modules
    events: list[Event]
    fresh: dict[Site, frozenset[Any]] = field(default_factory=dict)

    @property
    def runs_once(self) -> bool:
        """A script, or a function that needs nothing from its caller."""
        if self.root is None:
            return True
        if self.root.is_class:
            return False
        return not any(
            p.kind in ("pos", "kw") and not p.has_default for p in self.root.parameters
        )


def segments(engine: Engine, wanted: set[str] | None = None) -> Iterator[Segment]:
    """Runs all modules, then the roots of those whose paths are wanted (None: of all)."""
    engine.events = []
    for path in engine.modules:
        load_module(engine, path)
    yield Segment(None, engine.events, dict(engine.fresh))
    base_fresh = dict(engine.fresh)
    base_functions = set(engine.activation.functions)
    for module in engine.modules.values():
        if wanted is not None and module.path not in wanted:
            continue
        yield from _of_module(engine, module, base_fresh, base_functions)


def _of_module(
    engine: Engine,
    module: Module,
    base_fresh: dict[Site, frozenset[Any]],
    base_functions: set[Function],
) -> Iterator[Segment]:
    used = _used_names(module)
    covered = {f for f in base_functions if f.path == module.path}
    engine.covered = covered

    def run(root: Function, body: Callable[[], object]) -> Segment:
        _begin(engine, root, base_fresh)
        _guarded(engine, root, body)
        covered.update(engine.activation.functions)
        return Segment(root, engine.events, engine.fresh)

    functions = [f for f in module.functions if not f.is_module and not f.is_class]
    for function in functions:
        site = engine.sites_of.get(function)
        at_top = function.parent is None or function.parent.is_module
        if site is not None and at_top and function.name not in used and function not in covered:
            yield run(function, lambda s=site: call_function(engine, s, (), {}, s.span))
    for cls in [s for s in engine.sites.values() if s.kind == "class" and s.path == module.path]:
        methods = _public_methods(module, cls)
        if methods and not any(method in covered for method in methods):
            yield run(cls.info["function"], lambda c=cls, m=methods: _drive(engine, c, m))
    for function in functions:
        site = engine.sites_of.get(function)
        if site is not None and function not in covered:
            yield run(function, lambda f=function, s=site: _call_alone(engine, f, s))


def _call_alone(engine: Engine, function: Function, site: Site) -> None:
    """A function that no root has reached: a method gets an object of its class."""
    parent = function.parent
    names = [p.name for p in function.parameters if p.kind == "pos"]
    me: tuple[Value, ...] = ()
    if parent is not None and parent.is_class and names[:1] == ["self"]:
        for cls in list(engine.sites.values()):
            if cls.kind == "class" and cls.info.get("function") is parent:
                me = (make_instance(engine, cls, (), {}, cls.span),)
                break
    call_function(engine, site, me, {}, site.span)


def _drive(engine: Engine, cls: Site, methods: list[Function]) -> None:
    """Makes one object, and calls its public methods twice."""
    me = make_instance(engine, cls, (), {}, cls.span)
    loop = (cls.path, cls.span[0], -1)
    for steady in (False, True):
        engine.loops = [(loop, steady)]
        for method in methods:
            bound = engine.attribute(me, method.name, cls.span)
            engine.call(bound, (), {}, (method.line, 1, method.line, 1))
    engine.loops = []


def _public_methods(module: Module, cls: Site) -> list[Function]:
    body = cls.info["function"]
    return [
        f
        for f in module.functions
        if f.parent is body and (not f.name.startswith("_") or f.name == "__call__")
    ]


def _begin(engine: Engine, root: Function, base_fresh: dict[Site, frozenset[Any]]) -> None:
    engine.events = []
    engine.fresh = dict(base_fresh)
    engine.layers = [engine.layers[0], {}]
    engine.path, engine.calls = root.path, ()
    engine.loops, engine.current = [], NO_MARKS
    engine.traced = engine.guarded = 0
    engine.budget = ROOT_BUDGET
    engine.contexts = {}
    engine.charged = set()
    engine.reruns = {}
    engine.spent_inside = 0
    engine.handled = set()
    top = engine.activation
    top.reads.clear()
    top.writes.clear()
    top.cut.clear()
    top.functions = set()
    top.made.clear()


def _guarded(engine: Engine, root: Function, body: Callable[[], object]) -> None:
    """An error in one root does not hide what others show; it is kept for the reports."""
    try:
        body()
    except (OutOfBudget, RecursionError) as error:
        engine.failures.append((root.path, root.name, type(error).__name__))
    except Exception as error:
        engine.failures.append((root.path, root.name, f"{type(error).__name__}: {error}"))
    del engine.activations[1:]
    engine.active.clear()
    engine.classes.clear()
    engine.layers = [engine.layers[0]]


def _used_names(module: Module) -> set[str]:
    """Names that functions of the file load, or ask as attributes, outside of themselves."""
    used: set[str] = set()

    def walk(code: Any, inside: str) -> None:
        for instruction in code:
            if instruction[0] == "load" and instruction[2] != inside:
                used.add(instruction[2])
            elif instruction[0] == "attr":
                used.add(instruction[3])
            for part in instruction:
                if isinstance(part, list):
                    blocks = part if part and isinstance(part[0], list) else [part]
                    for block in blocks:
                        walk(block, inside)

    for function in module.functions:
        if not function.is_module:
            walk(function.body, function.name)
    return used


