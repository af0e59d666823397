"""What a traced function reads from outside: closure cells, globals, attributes of `self`.

Attributes of modules and classes too, and what methods of `self` read. Nothing of the user's runs:
attributes are looked up as they are kept, without `__getattr__`, properties or other descriptors.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gotcha_sanitizer.frames import file_of, owner
from gotcha_sanitizer.hooks.marks import arrays, mark
from gotcha_sanitizer.values.parts import Capture, Mark

_FUNCTIONS, _ITEMS = 32, 64
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_VARIABLES = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME")


@dataclass(frozen=True, slots=True)
class Read:
    """One captured variable and how to look at it again; holds the user's objects weakly."""

    name: str
    kind: str
    names: frozenset[str]  # attributes that the code reads of objects
    now: Callable[[], Any]  # raises LookupError when it is gone
    reader: str = ""  # the helper that reads it, where that is not the traced function itself
    # Gives a `now` that works after the function is gone; it holds the variable, not the function.
    hold: Callable[[], Callable[[], Any]] | None = None
    whole: bool = False  # it is called or passed on, not only asked for attributes

    def mark(self) -> Mark:
        """What it is now; of a model that is called or passed on, also the arrays that it holds."""
        value = self.now()
        return (arrays(value, self.names) if self.whole else None) or mark(value, self.names)

    def label(self, path: str = "") -> str:
        """The variable as people know it; `path` leads to what it holds."""
        return f"{self.name}{path}" + (f" (in {self.reader})" if self.reader else "")


@lru_cache(maxsize=2048)
def _loads(code: types.CodeType) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Globals read; attributes read of the first parameter; all attributes read."""
    names, attributes = set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(step.argval)
        elif step.opname in _ATTRIBUTES:
            attributes.add(step.argval)
    for inner in _inner(code):
        inner_names, _, inner_attributes = _loads(inner)
        names |= inner_names
        attributes |= inner_attributes
    own = _attributes_of(code, code.co_varnames[0]) if code.co_argcount else ()
    return frozenset(names), frozenset(own), frozenset(attributes)


@lru_cache(maxsize=2048)
def _attributes_of(code: types.CodeType, variable: str) -> frozenset[str]:
    """The attributes that are read of one variable, by functions inside of this one too."""
    found: set[str] = set()
    before: Any = None
    for step in dis.get_instructions(code):
        if step.opname == "EXTENDED_ARG":
            continue
        if step.opname in _ATTRIBUTES and before is not None:
            # 3.13 loads two variables at once: the last one counts.
            last = before.argval[-1] if isinstance(before.argval, tuple) else before.argval
            if before.opname.startswith(_VARIABLES) and last == variable:
                found.add(step.argval)
        before = step
    for inner in _inner(code):
        mine = {*inner.co_varnames, *inner.co_cellvars}
        if variable in {*inner.co_freevars, *inner.co_names} - mine:
            found |= _attributes_of(inner, variable)
    return frozenset(found)


@lru_cache(maxsize=2048)
def _whole(code: types.CodeType, variable: str, attribute: str = "") -> bool:
    """Whether a variable, or one attribute of it, is used for more than its attributes."""
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for number, step in enumerate(steps[:-1]):
        if not step.opname.startswith(_VARIABLES):
            continue
        if step.opname == "LOAD_FAST" and variable in (*code.co_cellvars, *code.co_freevars):
            continue  # 3.13 loads the cell itself like this
        last = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
        after = steps[number + 1]
        if attribute and (after.opname not in _ATTRIBUTES or after.argval != attribute):
            continue
        last_of_all = steps[min(number + 2, len(steps) - 1)] if attribute else after
        if last == variable and last_of_all.opname not in _ATTRIBUTES:
            return True
        if not attribute and isinstance(step.argval, tuple) and variable in step.argval[:-1]:
            return True
    return any(
        _whole(inner, variable, attribute)
        for inner in _inner(code)
        if variable in {*inner.co_freevars, *inner.co_names} - {*inner.co_varnames}
    )


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    return (inner for inner in code.co_consts if isinstance(inner, types.CodeType))


def reads(fun: Any, base: types.FunctionType | None, static_self: Any = None) -> Iterator[Read]:
    """All that `fun` reads, helpers of the user that it reaches by name included.

    `static_self` is the object of a method whose `self` is a static argument.
    """
    if isinstance(fun, functools.partial):
        yield from _of_partial(fun)
    todo: list[tuple[types.FunctionType, str, Any]] = []
    if base is not None:
        todo.append((base, "", getattr(fun, "__self__", static_self)))
    done: set[types.CodeType] = set()
    while todo and len(done) < _FUNCTIONS:
        function, reader, owner_object = todo.pop()
        if function.__code__ in done:
            continue
        done.add(function.__code__)
        for read in _of_function(function, reader, owner_object):
            try:
                value = read.now()
            except LookupError:
                continue
            if isinstance(value, (types.ModuleType, type)):
                continue
            helper = _helper(value)
            if helper is not None:
                todo.append((helper, helper.__name__, _bound(value, read, owner_object)))
            elif _is_fixed(value, read.names):
                continue
            yield read


def _of_function(f: types.FunctionType, reader: str, self: Any) -> Iterator[Read]:
    names, own, attributes = _loads(f.__code__)
    ref = weakref.ref(f)
    outside = [(name, "closure", _cell) for name in f.__code__.co_freevars]
    outside += [(name, "global", _global) for name in sorted(names) if name in f.__globals__]
    for name, kind, look in outside:
        hold = functools.partial(_hold_cell if kind == "closure" else _hold_global, ref, name)
        now, whole = functools.partial(look, ref, name), _whole(f.__code__, name)
        read = Read(name, kind, attributes, now, reader, hold, whole)
        yield read
        with contextlib.suppress(LookupError):
            if _is_users(holder := read.now()):
                names_of = _attributes_of(f.__code__, name)
                yield from _of_holder(holder, read, names_of, f.__code__, name)
    if self is not None:
        first = f.__code__.co_varnames[0] if f.__code__.co_argcount else ""
        outer = Read("self", "self", attributes, lambda: self)
        yield from _of_holder(self, outer, own, f.__code__, first)


def _of_holder(
    holder: Any, outer: Read, names: frozenset[str], code: types.CodeType, variable: str
) -> Iterator[Read]:
    """Attributes of an object, module or class that `outer` is."""
    try:
        held = weakref.ref(holder)
    except TypeError:
        return
    for name in sorted(names):
        now = functools.partial(_attribute, held, name)
        whole = _whole(code, variable, name)
        yield replace(outer, name=f"{outer.name}.{name}", now=now, hold=None, whole=whole)


def _bound(value: Any, read: Read, self: Any) -> Any:
    """The `self` that a function has which was reached by `read`, or None."""
    if isinstance(value, types.MethodType):
        return value.__self__
    if read.kind != "self" or isinstance(value, (staticmethod, classmethod)):
        return None
    name = read.name.removeprefix("self.")
    return self if inspect.getattr_static(type(self), name, None) is value else None


def _is_users(value: Any) -> bool:
    """True for a module or class that is written in the user's files."""
    if not isinstance(value, (types.ModuleType, type)):
        return False
    named = vars(value).get("__module__")
    module = value if isinstance(value, types.ModuleType) else sys.modules.get(str(named))
    path = file_of(module)
    return owner(path) == "user" if path else named == "__main__"


def _of_partial(fun: functools.partial) -> Iterator[Read]:
    ref = weakref.ref(fun)
    for number in range(len(fun.args)):
        now = functools.partial(_argument, ref, number)
        yield Read(f"argument {number} of the partial", "partial", frozenset(), now)
    for name in fun.keywords:
        yield Read(f"{name}=", "partial", frozenset(), functools.partial(_keyword, ref, name))


def _alive(ref: weakref.ref) -> Any:
    value = ref()
    if value is None:
        raise LookupError
    return value


def _cell(ref: weakref.ref, name: str) -> Any:
    return _hold_cell(ref, name)()


def _hold_cell(ref: weakref.ref, name: str) -> Callable[[], Any]:
    f = _alive(ref)
    return functools.partial(_contents, f.__closure__[f.__code__.co_freevars.index(name)])


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        raise LookupError from None


def _global(ref: weakref.ref, name: str) -> Any:
    return _alive(ref).__globals__[name]


def _hold_global(ref: weakref.ref, name: str) -> Callable[[], Any]:
    """Only for modules: another namespace may live no longer than the function."""
    names = _alive(ref).__globals__
    module = sys.modules.get(names.get("__name__", ""))
    if module is None or vars(module) is not names:
        raise LookupError
    return functools.partial(names.__getitem__, name)


def _attribute(ref: weakref.ref, name: str) -> Any:
    try:
        return inspect.getattr_static(_alive(ref), name)
    except AttributeError:
        raise LookupError from None


def _argument(ref: weakref.ref, number: int) -> Any:
    return _alive(ref).args[number]


def _keyword(ref: weakref.ref, name: str) -> Any:
    return _alive(ref).keywords[name]


def _helper(value: Any) -> types.FunctionType | None:
    """The user's Python function behind a value, jitted or not."""
    if isinstance(value, (types.MethodType, staticmethod, classmethod)):
        value = value.__func__
    for inner in (value, inspect.getattr_static(value, "__wrapped__", None)):
        if isinstance(inner, types.FunctionType) and owner(inner.__code__.co_filename) == "user":
            return inner
    return None


def _is_fixed(value: Any, names: frozenset[str]) -> bool:
    """Descriptors and functions of libraries; what is called and holds arrays is a model."""
    if hasattr(type(value), "__get__"):
        return True
    return callable(value) and _is_foreign(value) and arrays(value, names) is None


def _is_foreign(value: Any) -> bool:
    """Functions of libraries and builtins: they do not change."""
    code = getattr(getattr(value, "__wrapped__", value), "__code__", None)
    return code is None or owner(code.co_filename) != "user"


def captures(found: list[Read]) -> tuple[Capture, ...]:
    """The marks of what was read, now."""
    made = []
    for read in found[:_ITEMS]:
        try:
            made.append(Capture(read.label(), read.kind, read.mark()))
        except Exception:  # gone meanwhile, or an attribute of the user's that raises
            continue
    return tuple(made)


def settings(base: types.FunctionType | None) -> dict[str, Mark]:
    """The parameters of an operation that runs outside of jit: JAX keeps them in a closure."""
    if base is None or not base.__closure__:
        return {}
    found: dict[str, Mark] = {}
    for name, cell in zip(base.__code__.co_freevars, base.__closure__, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if isinstance(value, dict):
            found |= {str(k): mark(v, depth=2) for k, v in list(value.items())[:_ITEMS]}
        else:
            found[name] = mark(value, depth=2)
    return found
