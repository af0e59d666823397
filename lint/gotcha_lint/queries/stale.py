"""What a compiled program read once, when it was traced, and what changes it afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.resets import compiles_anew, element, global_of
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Bind, Body, Call, Place
from gotcha_lint.analysis.syntax import children, dotted, last_word, literal, names_in, walk
from gotcha_lint.analysis.values import OPTIMIZER
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.places import long_loops, new_each_turn
from gotcha_lint.rule import text_of

_SET_UP = (
    "__init__",
    "__post_init__",
    "__new__",
    "__setstate__",
    "__enter__",
    "__attrs_post_init__",
)
_SET_UP_WORDS = (
    "init",
    "build",
    "setup",
    "set_up",
    "create",
    "make",
    "compile",
    "jit",
    "configure",
    "prepare",
    "load",
    "reset",
)


def is_jitted_itself(body: Body) -> bool:
    """Given to jit as it stands, and not by a test: its cache is the one that matters."""
    trace = body.trace
    if (
        trace is None
        or trace.soft
        or not trace.direct
        or not trace.chain
        or is_test(body.model.path)
    ):
        return False
    (path, _), step = trace.chain[-1]
    return step.partition(" of ")[0] in BOUNDARIES and not is_test(path)


def is_jitted(body: Body) -> bool:
    """Given to jit by itself or by what calls it, and not by a test."""
    trace = body.trace
    if trace is None or trace.soft or not trace.chain or is_test(body.model.path):
        return False
    return not BOUNDARIES.isdisjoint(trace.roles) and not is_test(trace.chain[0][0][0])


def names_read(node: cst.CSTNode) -> Iterator[cst.Name]:
    """The names that code reads: no attributes, no keywords of arguments, no parameters' names."""
    stack = [node]
    while stack:
        match current := stack.pop():
            case cst.Name():
                yield current
            case cst.Arg(value=value) | cst.Attribute(value=value):
                stack.append(value)
            case cst.Param(default=default):
                stack.extend([default] if default is not None else [])
            case cst.AssignTarget(target=cst.Name()):
                pass
            case _:
                stack.extend(reversed(list(children(current))))


def is_set_up(name: str) -> bool:
    """A function that runs before anything is traced."""
    words = name.lstrip("_")
    return name in _SET_UP or words.startswith(_SET_UP_WORDS) or words.endswith(("_init", "_setup"))


def rebound_after(call: Call, calls: list[Call], name: str) -> Place | None:
    """An assignment of a captured name after the function was made, with calls on both sides."""
    binds = [bind for bind in call.body.of(Bind) if bind.name == name]
    changes, old = [], ""
    for bind in binds:
        new = _same_optimizer(bind)
        equal = _equal_each_turn(bind, calls) or _traced_each_turn(bind, calls)
        if (not new or new != old) and not equal:
            changes.append(bind)
        old = new
    return changed_after(call, calls, changes)


def _equal_each_turn(bind: Bind, calls: list[Call]) -> bool:
    """`env = make_env(name)` in a loop, before the calls, of nothing that the loop changes."""
    loops, source = long_loops(bind), bind.source
    if not loops or source is None or any(call.at.order < bind.at.order for call in calls):
        return False
    if any(node.value == bind.name for node in names_read(source)):
        return False
    changing = new_each_turn(bind.body, loops[-1])
    if any(node.value in changing for node in names_read(source)):
        return False
    made = [part for part in walk(source) if isinstance(part, cst.Call)]
    return all(is_set_up(last_word(part.func)) or dotted(part.func) == "type" for part in made)


def _traced_each_turn(bind: Bind, calls: list[Call]) -> bool:
    """`short = x[:length]` in the loop that binds it too: the calls are given another shape."""
    loops = long_loops(bind)
    inside = [call for call in calls if loops and loops[-1] in call.at.loops]
    if not inside:
        return False
    changing = new_each_turn(bind.body, loops[-1])
    bound = (b for b in bind.body.of(Bind) if loops[-1] in b.at.loops)
    cut = {b.name for b in bound if any(s & changing for s in _slices(b.source))}
    return all(not cut.isdisjoint(names_in(call.node)) for call in inside)


def _slices(source: cst.CSTNode | None) -> Iterator[set[str]]:
    """The names in the bounds of each slice of `x[a:b]`."""
    if isinstance(source, cst.Subscript):
        yield from (names_in(part) for part in source.slice if isinstance(part.slice, cst.Slice))


def _same_optimizer(bind: Bind) -> str:
    """The text of `optax.adam(1e-4)`, which is the same wherever it stands; else nothing."""
    source = bind.source
    if bind.value.of != OPTIMIZER or not isinstance(source, cst.Call):
        return ""
    known = all(literal(arg.value) is not None for arg in source.args)
    return text_of(source) if known else ""


def changed_after(call: Call, calls: list[Call], changes: Sequence[Place]) -> Place | None:
    """The first change after the function was made, with calls on both sides."""
    for change in changes:
        if change.at.order <= call.at.order or _same_turn(call, change):
            continue
        shared = [
            c for c in calls if _inner(c, call) and set(_inner(c, call)) & set(_inner(change, call))
        ]
        before = [c for c in calls if c.at.order < change.at.order and not _excluded(c, change)]
        after = [c for c in calls if c.at.order > change.at.order and not _excluded(c, change)]
        if shared or (before and after):
            return change
    return None


def _inner(place: Place, creation: Place) -> tuple[int, ...]:
    """The loops around a place that are not around the creation."""
    outer = {id(loop.node) for loop in creation.at.loops}
    return tuple(id(loop.node) for loop in long_loops(place) if id(loop.node) not in outer)


def _same_turn(call: Call, bind: Place) -> bool:
    """Both are made again each turn, the function after the value of the next turn's."""
    return bool(long_loops(call)) and not _inner(bind, call) and bind.at.order < call.at.order


def _excluded(a: Place, b: Place) -> bool:
    """On different branches of the same `if`."""
    tests = {id(guard.test): guard.when for guard in a.at.guards}
    return any(tests.get(id(guard.test), guard.when) != guard.when for guard in b.at.guards)


def changed_globals(body: Body) -> dict[str, cst.CSTNode]:
    """Names of the module that another function of the file assigns again, and where."""
    found = dict[str, cst.CSTNode]()
    module = body.model.module.scope
    for function in body.model.functions[1:]:
        names = function.scope.global_names
        if not names or function is body.function or function.is_generator:
            continue
        if is_set_up(function.name) or compiles_anew(function):
            continue
        at_import = _only_at_import(body, function)
        for name in names & function.scope.bound.keys() | (names & module.bound.keys()):
            if at_import and _asked_for_types(body, name):
                continue
            target = next((t for t in _targets(function) if dotted(t) == name), None)
            if target is not None:
                found.setdefault(name, target)
    return found


def _only_at_import(body: Body, function: Function) -> bool:
    """No function calls it, but modules do, where they define their classes."""
    callers = body.usage.callers.get((body.model.path, function.number), frozenset())
    return bool(callers) and all(number == 0 for _, number in callers)


def _asked_for_types(body: Body, name: str) -> bool:
    """`type(x) in KINDS` is all that is asked: each type of an argument is traced by itself."""
    asked = 0
    for node in walk(body.function.node):
        match node:
            case cst.Comparison(
                left=cst.Call(func=cst.Name(value="type")),
                comparisons=[cst.ComparisonTarget(comparator=cst.Name(value=registry))],
            ):
                asked += registry == name
    read = sum(read.value == name for read in names_read(body.function.node))
    return bool(asked) and asked == read


def _targets(function: Function) -> Iterator[cst.CSTNode]:
    """What a function assigns to, in the order of its lines."""
    for node in walk(function.node):
        if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign):
            yield node.target


def changed_settings(body: Body) -> Iterator[tuple[str, cst.CSTNode, cst.CSTNode | None]]:
    """`SETTINGS["rate"]` and `model.RATE` that a loop elsewhere assigns: what is read, and where
    it is assigned, if that is in this file."""
    usage, project, module = body.usage, body.project, body.model.module.scope
    if project is None or not usage.resets:
        return
    for name in body.function.captured:
        where = global_of(project, body.function.scope, module, body.model.path, name)
        for (path, changed), resets in usage.resets.items():
            for (writer, number), key in sorted(resets):
                if is_set_up(project.function((writer, number)).name) or where is None:
                    continue
                node = _read(body, name, key) if where == (path, changed) else None
                if node is not None:
                    here = body.model.functions[number] if writer == body.model.path else None
                    yield name, node, _set_in(here, changed, key) if here else None


def _set_in(function: Function, name: str, key: str) -> cst.CSTNode | None:
    """Where a function assigns `NAME["key"]`, `module.NAME["key"]` or `module.NAME`."""
    for target in _targets(function):
        owner = target.value if key and isinstance(target, cst.Subscript) else target
        same = not key or (isinstance(target, cst.Subscript) and element(target) == key)
        if same and isinstance(owner, cst.Name | cst.Attribute) and last_word(owner) == name:
            return target
    return None


def _read(body: Body, name: str, key: str) -> cst.CSTNode | None:
    """Where the function reads the element of a dict, or the name itself."""
    if not key:
        return body.function.captured[name]
    for node in walk(body.function.node):
        if isinstance(node, cst.Subscript) and dotted(node.value) == name and element(node) == key:
            return node
    return None
