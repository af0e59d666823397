"""Where analysis starts: the modules, then what outsiders may call.

Each function that its file does not use itself, and each class, is a root, from the state that the
modules left. Parameters of a root are symbols: unknown but stable. A class is driven: made once,
and its public methods called twice, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gotcha_lint.domain.derivative import flow
from gotcha_lint.domain.met import Loops
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import (
    NO_MARKS,
    UNKNOWN,
    Constant,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    only,
)
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.slopes import INFINITE_SLOPES
from gotcha_lint.interpret.calls import make_instance
from gotcha_lint.interpret.compiled import Inner, static_names
from gotcha_lint.interpret.effects import note_handed
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.events import Event, KeyUse, Location, Remark, Turn
from gotcha_lint.interpret.faults.losses import check_forward
from gotcha_lint.interpret.faults.padded import note_padded
from gotcha_lint.interpret.faults.saved import check_checkpoints
from gotcha_lint.interpret.faults.shown_by_text import check_texts, text_of
from gotcha_lint.interpret.faults.written import check_written
from gotcha_lint.interpret.functions import call_function
from gotcha_lint.interpret.heap import class_attribute, contents_of, is_module_class, mapping_of
from gotcha_lint.interpret.imports import load_module
from gotcha_lint.interpret.keys import is_named_as_key
from gotcha_lint.interpret.layers.annotated import classes_of, known_of
from gotcha_lint.interpret.layers.eager_loops import OF_A_MODEL, heaviest_call
from gotcha_lint.interpret.loops import carried, goes_on
from gotcha_lint.interpret.machine import RESERVE, OutOfBudget
from gotcha_lint.interpret.state import Layer
from gotcha_lint.interpret.substitution import symbol_for
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.text import Text
from gotcha_lint.solve.names import SQUASHES, Names, leading_to_compiles

ROOT_BUDGET = 40_000  # instructions of one root, where it imports little
_LEAST = 8_000  # ... and where it imports much
_CLOSURES = 8  # of those that a function returns
_DEPTH = 2  # of containers that hold them
_TOTAL = 30_000_000  # instructions times functions: a root that imports 1,500 has 20,000


@dataclass(slots=True)
class Segment:
    """What happens from one root on, in program order."""

    root: Function | None  # None: the modules
    events: list[Event]
    fresh: dict[Site, frozenset[Any]] = field(default_factory=dict)
    loops: Loops = field(default_factory=Loops)
    heaviest: tuple[Span, int] | None = None  # the call of the root that starts most operations
    text: Text | None = None  # of a module

    @property
    def runs_once(self) -> bool:
        """A script, or a function that needs nothing from its caller."""
        if self.root is None:
            return True
        if self.root.is_class:
            return False
        return not any(p.kind in ("pos", "kw") and not p.has_default for p in self.root.parameters)


def of_import(engine: Engine, path: str) -> Segment:
    """Runs a module, as it is run when it is imported."""
    _begin(engine, path)
    load_module(engine, path)
    text = text_of(engine, path)
    check_written(engine, text)
    fresh = dict(engine.fresh) if engine.events else {}
    return Segment(None, engine.events, fresh, engine.met.loops, text=text)


def of_text(engine: Engine, path: str) -> Segment:
    """What the text of a module shows that uses no JAX: it is not run."""
    _begin(engine, path)
    text = text_of(engine, path)
    check_texts(engine, text.origins, text.module)
    check_checkpoints(engine, text.origins, text.module)
    return Segment(None, engine.events, text=text)


def of_roots(
    engine: Engine, module: Module, names: Mapping[str, Names], compiled: frozenset[str]
) -> Iterator[Segment]:
    """Runs the roots of a module, from the state that it and those left that it imports.

    `names` and `compiled` of all these.
    """
    if is_test(module.path):
        return
    functions = sum(len(engine.modules[path].functions) for path in names)
    engine.root_budget = max(_LEAST, min(ROOT_BUDGET, _TOTAL // max(functions, 1)))
    own = names[module.path]
    said = {name.rpartition(".")[2] for name in engine.rows}  # what users say matters
    own.compiling = leading_to_compiles(names.values(), compiled | said)
    _try_classes(engine, names)
    yield from _of_module(engine, module, own, dict(engine.fresh))


def _try_classes(engine: Engine, names: Mapping[str, Names]) -> None:
    """What objects give whose class a parameter is annotated with, made without options."""
    fresh, met = engine.fresh, engine.met
    for path, file in names.items():
        for function in engine.modules[path].functions if file.names_annotated else ():
            for parameter in function.parameters:
                for cls in classes_of(engine, function, parameter.name):
                    own = names.get(cls.path)
                    used = own.names_in.get(cls.info["function"], set()) if own else set()
                    if cls in engine.tried or not (used & (HALVES | SQUASHES | {"dtype"})):
                        continue
                    if cls not in engine.trials:
                        engine.fresh, engine.met = dict(fresh), met.copy()
                        _try(engine, cls)
                    engine.tried[cls] = engine.trials[cls]
    engine.fresh, engine.met = fresh, met


def _try(engine: Engine, cls: Site) -> None:
    def call() -> None:
        me = make_instance(engine, cls, (), {}, cls.span)
        engine.trials[cls] = known_of(engine.call(me, (), {}, cls.span))

    engine.trials[cls] = None
    _begin(engine, cls.path)
    before = len(engine.failures)
    _guarded(engine, cls.info["function"], call)
    del engine.failures[before:]


def _of_module(
    engine: Engine, module: Module, names: Names, base_fresh: dict[Site, frozenset[Any]]
) -> Iterator[Segment]:
    covered: set[Function] = set()
    engine.covered = covered

    def run(root: Function, body: Callable[[], object]) -> Segment:
        _begin(engine, root.path)
        engine.fresh = dict(base_fresh)
        _guarded(engine, root, body)
        covered.update(engine.activation.functions)
        heaviest = heaviest_call(engine, root) if engine.dispatches >= OF_A_MODEL else None
        return Segment(root, engine.events, engine.fresh, engine.met.loops, heaviest)

    def given(function: Function, callee: Value) -> Iterator[Segment]:
        """The root as it is called without options, and what is wrong if all are given."""
        site, used = engine.met.closures[function], engine.key_uses
        args = _arguments(callee, function)
        yield run(function, lambda: _call_with_result(engine, function, callee, args))
        options = [p.name for p in function.parameters if _is_option(site, p.name)]
        with_keys = engine.key_uses != used
        if options and (with_keys or (not _is_transform(callee) and _asks_for(function, options))):
            chosen = {name: symbol_for((function, name)) for name in options}
            other = run(function, lambda: engine.call(callee, (), chosen, site.span))
            kinds = (KeyUse, Turn) if with_keys else ()
            kinds = kinds if _is_transform(callee) else (*kinds, Remark)
            other.events = [e for e in other.events if isinstance(e, kinds)]
            yield other
        static = _static(engine, callee)
        flags = [name for name in static if _is_flag(site, name)]
        if flags:  # they say which program it is: somebody chooses
            chosen = {name: symbol_for((function, name)) for name in flags}
            other = run(function, lambda: engine.call(callee, (), chosen, site.span))
            other.events = [
                e for e in other.events if isinstance(e, Remark) and e.within is function
            ]
            yield other

    functions = [f for f in module.functions if not f.is_module and not f.is_class]
    transformed = list(_transformed(engine, module))
    for name, function, callee in transformed:
        if name not in names.used and (function not in covered or _is_closure(function)):
            yield from given(function, callee)
    for function in functions:
        site = engine.met.closures.get(function)
        at_top = function.parent is None or function.parent.is_module
        if site is None or not at_top or function.name in names.used or function in covered:
            continue
        bound = _bound_to(engine, function)
        if bound is not None or names.is_worth_running(function):
            yield from given(function, only(Object(site)) if bound is None else bound)
    for _, function, callee in transformed:
        if function not in covered:
            yield from given(function, callee)
    for cls in [s for s in engine.met.classes() if s.path == module.path]:
        methods, body = _public_methods(module, cls), cls.info["function"]
        is_layer = is_module_class(cls)
        new = not any(method in covered for method in methods)
        if new and (names.is_worth_running(body, is_layer) or _derives(cls, names.compiling)):
            yield run(body, lambda c=cls, m=methods: _drive(engine, c, m))
        if is_layer and "where" in names.names_in[body]:
            yield run(body, lambda c=cls, m=methods: _forward(engine, c, m))
    for function in functions:
        site = engine.met.closures.get(function)
        if site is not None and function not in covered and names.is_worth_running(function):
            yield run(function, lambda f=function, s=site: _call_alone(engine, f, s))
    for function in functions:
        site, own = engine.met.closures.get(function), names.names_in[function]
        at_top = function.parent is not None and function.parent.is_module
        outside = at_top and function.name not in names.used
        if site is not None and outside and "where" in own and not _ROOTS.isdisjoint(own):
            yield run(function, lambda f=function, s=site: _differentiate(engine, f, s))


def _derives(cls: Site, compiling: frozenset[str]) -> bool:
    """Does a class that it derives from lead to compiles?"""
    bases: Sequence[Site] = cls.info["bases"]
    return any(
        base.info["function"].name in compiling or _derives(base, compiling) for base in bases
    )


def _call_with_result(
    engine: Engine, function: Function, callee: Value, args: tuple[Value, ...]
) -> None:
    """Whoever calls a function that returns a compiled one, or closures, calls that, too."""
    span = engine.met.closures[function].span
    if function.parameters and function.parameters[-1].kind == "**":
        engine.open.add((engine.path, span))
    result = engine.call(callee, args, {}, span)
    note_handed(engine, (result,), span)
    if _is_compiled(result):
        engine.call(result, (), {}, span)
        return
    note_padded(engine, function, result)
    for closure in list(_closures(engine, result, 0))[:_CLOSURES]:
        engine.budget, engine.reserve = engine.root_budget, engine.root_budget // RESERVE
        engine.call(closure, (), {}, span)


def _closures(engine: Engine, value: Value, depth: int) -> Iterator[Value]:
    """Functions that a function made and gives to its caller, with what they close over."""
    for atom in value.atoms:
        if isinstance(atom, Object) and atom.site.kind == "transform" and depth:
            if atom.site.info["word"] in _COMPILED:
                yield only(atom)
            continue
        if isinstance(atom, Object) and atom.site.kind == "function":
            parent = atom.site.info["function"].parent
            if parent is not None and not parent.is_module and not parent.is_class:
                yield only(atom)
            continue
        content = contents_of(engine, atom) if depth < _DEPTH else None
        entries = mapping_of(engine, atom) if depth < _DEPTH else None
        parts = content.items if isinstance(content, Tuple) else ()
        parts = (*parts, *(entries.values if entries is not None else ()))
        for part in parts:
            yield from _closures(engine, part, depth + 1)


_GRADIENTS = ("grad", "value_and_grad")
_COMPILED = ("jit", "pmap")


def _arguments(callee: Value, function: Function) -> tuple[Value, ...]:
    """What a gradient is taken of must be given; other callees make symbols by themselves."""
    atom = callee.only
    if not isinstance(atom, Object) or atom.site.info.get("word") not in _GRADIENTS:
        return ()
    needed = [p for p in function.parameters if p.kind == "pos" and not p.has_default]
    return tuple(symbol_for((function, p.name)) for p in needed)


def _is_closure(function: Function) -> bool:
    """What it does follows from what it closes over, too."""
    parent = function.parent
    return parent is not None and not parent.is_module and not parent.is_class


def _transformed(engine: Engine, module: Module) -> Iterator[tuple[str, Function, Value]]:
    """Gradients and compiled functions that are names of the module: others may call them."""
    for name in dict.fromkeys(step[2] for step in module.top.body if step[0] == "store"):
        held = engine.peek((module.path, name)) or UNKNOWN
        parts = held.only.items if isinstance(held.only, Tuple) else (held,)
        for value in parts:
            yield from _named(engine, name, value)


def _named(engine: Engine, name: str, value: Value) -> Iterator[tuple[str, Function, Value]]:
    atom = value.only
    if isinstance(atom, Object) and atom.site.kind == "transform":
        function = Inner(engine, atom.site.info["inner"]).function
        word = atom.site.info["word"]
        if word in (*_GRADIENTS, *_COMPILED, "shard_map") and function in engine.met.closures:
            yield name, function, value


def _static(engine: Engine, callee: Value) -> list[str]:
    """The static arguments of a compiled function."""
    atom = callee.only
    if not isinstance(atom, Object) or atom.site.info.get("word") not in _COMPILED:
        return []
    names, _ = static_names(engine, atom.site, Inner(engine, atom.site.info["inner"]))
    return sorted(names)


def _is_flag(site: Site, name: str) -> bool:
    """A parameter that is True or False unless somebody gives it."""
    default = site.info["defaults"].get(name)
    return default is not None and isinstance(default.constant, bool)


def _is_option(site: Site, name: str) -> bool:
    """A parameter that is None unless somebody gives it."""
    default = site.info["defaults"].get(name)
    return default is not None and default.is_none


def _is_transform(callee: Value) -> bool:
    """Is it compiled, say? An option may be static there: it need not be an array."""
    return any(isinstance(a, Object) and a.site.kind == "transform" for a in callee.atoms)


def _asks_for(function: Function, options: Collection[str]) -> bool:
    """Does it ask whether one of these is None? What it does with it shows only if it is given."""
    makers = {i[1]: i for i in steps_of(function)}
    asked = (makers.get(i[3]) for i in makers.values() if i[0] == "compare")
    return any(i is not None and i[0] == "load" and i[2] in options for i in asked)


def _bound_to(engine: Engine, function: Function) -> Value | None:
    """What the function's name stands for in its module, where that is a transform of it."""
    value = engine.peek((function.path, function.name))
    atom = value.only if value is not None else None
    if isinstance(atom, Object) and atom.site.kind == "transform":
        return value if Inner(engine, only(atom)).function is function else None
    return None


def _call_alone(engine: Engine, function: Function, site: Site) -> None:
    """A function that no root has reached: a method gets an object of its class."""
    parent = function.parent
    names = [p.name for p in function.parameters if p.kind == "pos"]
    me: tuple[Value, ...] = ()
    if parent is not None and parent.is_class and names[:1] == ["self"]:
        for cls in engine.met.classes():
            if cls.info.get("function") is parent:
                me = (make_instance(engine, cls, (), {}, cls.span),)
                break
    note_padded(engine, function, call_function(engine, site, me, {}, site.span))


def _drive(engine: Engine, cls: Site, methods: list[Function]) -> None:
    """Makes one object, and calls its public methods twice, and what it keeps compiled."""
    me = make_instance(engine, cls, (), {}, cls.span)
    loop = (cls.path, cls.span[0], -1)
    handed: dict[Function, Value] = {}  # compiled functions that the methods return
    before = _fields(engine, me)
    engine.loops = [(loop, False)]
    _call_all(engine, me, cls, methods, handed)
    engine.loops = [(loop, True)]
    guesses = {
        place: guess
        for place, value in _fields(engine, me).items()
        if place in before and (guess := carried(loop, place[1], before[place], value)) is not None
    }
    engine.events.append(Turn(loop))
    start = len(engine.events)
    engine.layers.append(dict(guesses))
    _call_all(engine, me, cls, methods, handed)
    layer = engine.layers.pop()
    if not all(goes_on(guess, layer.get(place, guess)) for place, guess in guesses.items()):
        del engine.events[start:]
        _call_all(engine, me, cls, methods, handed)
    engine.loops = []
    later = engine.events[start:]
    if is_module_class(cls):  # its keys are another one at each call, where Flax makes them
        engine.events[start:] = [event for event in later if not _uses_given(event, methods)]
    else:
        engine.events[start:] = [_used_each_call(event, loop) for event in later]


def _is_cached(engine: Engine, cls: Site, method: Function) -> bool:
    """Is it computed once for an object?"""
    found = class_attribute(engine, cls, method.name)
    atom = found.only if found is not None else None
    return isinstance(atom, Object) and atom.site.kind == "cached_property"


def _uses_given(event: Event, methods: list[Function]) -> bool:
    """Is it the use of a key that the caller of a method gives?"""
    base = event.key.base if isinstance(event, KeyUse) else None
    return isinstance(base, Symbol) and isinstance(base.root, tuple) and base.root[0] in methods


def _used_each_call(event: Event, loop: Hashable) -> Event:
    """A key that the object holds, if nothing renews it, is the one of the call before."""
    if isinstance(event, KeyUse) and event.how in ("draw", "split"):
        return replace(event, loops=event.loops | {loop})
    return event


def _call_all(
    engine: Engine, me: Value, cls: Site, methods: list[Function], handed: dict[Function, Value]
) -> None:
    _, steady = engine.loops[-1]
    for kept in _kept_compiled(engine, me, cls):
        engine.call(kept, (), {}, cls.span)
    for method in methods:
        if _is_cached(engine, cls, method):
            continue  # whatever asks for it first
        if method in handed:
            engine.call(handed[method], (), {}, cls.span)
        bound = engine.attribute(me, method.name, cls.span)
        result = engine.call(bound, (), _keys(engine, method), (method.line, 1, method.line, 1))
        note_padded(engine, method, result)
        written = class_attribute(engine, cls, method.name)
        if not steady and written is not None and not _is_transform(written):
            _call_with_options(engine, bound, method)
        if _is_compiled(result) and not steady:
            engine.call(result, (), {}, cls.span)
            handed[method] = result


def _call_with_options(engine: Engine, bound: Value, method: Function) -> None:
    """Notes what is wrong where a method is given what is None by default: `targets=None`."""
    site = engine.met.closures.get(method)
    options = [p.name for p in method.parameters if site is not None and _is_option(site, p.name)]
    if not options or not _asks_for(method, options):
        return
    start = len(engine.events)
    chosen = {name: symbol_for((method, name)) for name in options}
    engine.layers.append({})
    try:
        engine.call(bound, (), chosen, (method.line, 1, method.line, 1))
    finally:
        engine.layers.pop()
    engine.events[start:] = [e for e in engine.events[start:] if isinstance(e, Remark)]


def _keys(engine: Engine, method: Function) -> dict[str, Value]:
    """Random keys that a method is given while a model trains: `key=None`."""
    site = engine.met.closures.get(method)
    return {
        p.name: symbol_for((method, p.name))
        for p in method.parameters
        if site is not None and is_named_as_key(p.name) and _is_option(site, p.name)
    }


def _init_of(engine: Engine, cls: Site) -> Function | None:
    init = class_attribute(engine, cls, "__init__")
    atom = init.only if init is not None else None
    if not isinstance(atom, Object) or atom.site.kind != "function":
        return None
    function: Function = atom.site.info["function"]
    return function


def _fields(engine: Engine, me: Value) -> dict[Location, Value]:
    """The numbers that an object holds."""
    found: dict[Location, Value] = {}
    for site in [atom.site for atom in me.atoms if isinstance(atom, Object)]:
        for name in engine.fields_of(site):
            value = engine.peek((site, name))
            if value is not None and isinstance(value.only, (Constant, Number)):
                found[site, name] = value
    return found


def _forward(engine: Engine, cls: Site, methods: list[Function]) -> None:
    """Runs a layer as a gradient does: its input follows from the layers before it."""
    method = next((each for each in methods if each.name == "__call__"), None)
    if method is None:
        return
    at = (method.line, 1, method.line, 1)
    origin = (cls.path, at, 0)
    flows = frozenset((flow(origin),))
    me = make_instance(engine, cls, (), {}, cls.span)
    given = [p.name for p in method.parameters if p.kind == "pos"][1:]
    args = [symbol_for((method, name)).marked(flows) for name in given[:1]]
    engine.differentiated += 1
    try:
        out = engine.call(engine.attribute(me, method.name, cls.span), tuple(args), {}, at)
    finally:
        engine.differentiated -= 1
    check_forward(engine, out, origin)


def _differentiate(engine: Engine, function: Function, site: Site) -> None:
    """Runs a function as a part of what others may differentiate."""
    at = (function.line, 1, function.line, 1)
    origin = (function.path, at, 0)
    flows = frozenset((flow(origin),))
    given = [p.name for p in function.parameters if p.kind == "pos" and not p.has_default]
    args = [symbol_for((function, name)) for name in given]
    args[:1] = [arg.marked(flows) for arg in args[:1]]
    engine.differentiated += 1
    try:
        out = call_function(engine, site, tuple(args), {}, at)
    finally:
        engine.differentiated -= 1
    engine.events.clear()
    check_forward(engine, out, origin, maybe=True)


def _kept_compiled(engine: Engine, me: Value, cls: Site) -> Iterator[Value]:
    """What `__init__` has compiled and put into public attributes: outsiders call it, too."""
    init = _init_of(engine, cls)
    steps = instructions(init.body) if init is not None else ()
    for name in dict.fromkeys(step[3] for step in steps if step[0] == "setattr"):
        value = engine.attribute(me, name, cls.span)
        if not name.startswith("_") and _is_compiled(value):
            yield value


def _is_compiled(value: Value) -> bool:
    atom = value.only
    site = atom.site if isinstance(atom, Object) else None
    return site is not None and site.kind == "transform" and site.info["word"] in _COMPILED


def _public_methods(module: Module, cls: Site) -> list[Function]:
    body = cls.info["function"]
    return [
        f
        for f in module.functions
        if f.parent is body and (not f.name.startswith("_") or f.name == "__call__")
    ]


def _begin(engine: Engine, path: str) -> None:
    engine.events = []
    engine.layers = [*engine.bottom, {}]
    engine.path, engine.calls = path, ()
    engine.loops, engine.current, engine.guards = [], NO_MARKS, ()
    engine.traced = engine.guarded = engine.differentiated = engine.lenient = 0
    engine.per_device = engine.replicating = engine.dispatches = 0
    engine.budget, engine.reserve = engine.root_budget, engine.root_budget // RESERVE
    engine.contexts, engine.memory, engine.fields, engine.trail = {}, {}, {}, []
    engine.paid = set()
    engine.reruns = {}
    engine.spent_inside = 0
    engine.handled = set()
    engine.sides, engine.maybe = {}, 0
    engine.aged.clear()
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
    engine.layers = list(engine.bottom)


_ROOTS = frozenset(("norm", *INFINITE_SLOPES))  # infinite slopes
_MADE = ("transform", "optimizer")


def compiled_names(layer: Layer) -> frozenset[str]:
    """Names of modules and classes that stand for what a transform made, and for optimizers."""
    return frozenset(
        name
        for (_, name), value in layer.items()
        if any(isinstance(a, Object) and a.site.kind in _MADE for a in value.atoms)
    )
