"""What a name may hold where it is read or assigned: shapes and dtypes, for editors.

The interpreter runs as it does for findings, and each load and store of a name is noted. A may
analysis: the values of all contexts that were interpreted are joined, and code that nothing calls
is run with unknown arguments, which are left out beside known ones: so the words say what the calls
in the project give. A name of which nothing is known has no entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import TRACED
from gotcha_lint.domain.value import (
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Library,
    Mapping,
    Marks,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Tuple,
    Value,
    join,
)
from gotcha_lint.interpret.machine import Instruction, Registers
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.solve.units import Running
from gotcha_lint.views.call_graph import CallGraph

_MOST = 3  # alternatives, elements and axes' values that are written out
_LONGEST = 24  # characters of a constant
_SITES = {
    "function": "function",
    "class": "class",
    "instance": "object",
    "list": "list",
    "dict": "dict",
    "set": "set",
    "module": "module",
    "optimizer": "optimizer",
    "static_method": "function",
    "class_method": "function",
}


@dataclass(frozen=True, slots=True)
class NameValue:
    """One place of a name in a file, and what it may hold there, in words."""

    name: str
    span: Span
    words: str
    stored: bool  # it is assigned here
    is_array: bool


class Observer(CallGraph):
    """The interpreter, which notes what each load and store of a name sees, and who calls whom."""

    def __init__(self) -> None:
        super().__init__({}, ModuleIndex(()))
        self.seen: dict[tuple[str, Span, str, bool], Value] = {}
        self.in_trace: set[tuple[str, Span, str, bool]] = set()
        self.tracers: set[tuple[str, Span, str, bool]] = set()
        self.around: dict[tuple[str, Span, str, bool], Marks] = {}  # the loops around a place

    def _do_load(self, i: Instruction, r: Registers) -> None:
        super()._do_load(i, r)
        _, target, name, _, span = i
        self._note(name, span, r[target], False)

    def _do_store(self, i: Instruction, r: Registers) -> None:
        super()._do_store(i, r)
        _, _, name, _, source, span = i
        if source in r:
            self._note(name, span, r[source], True)

    def _note(self, name: str, span: Span, value: Value, stored: bool) -> None:
        if name.startswith("%"):  # a name of the interpreter's own
            return
        key = self.path, span, name, stored
        old = self.seen.get(key)
        self.seen[key] = value if old is None else join(old, value)
        self.around[key] = self.around.get(key, NO_MARKS) | self.current
        if self.traced:
            self.in_trace.add(key)
        if TRACED in value.marks:
            self.tracers.add(key)

    def values(self, path: str) -> Iterator[tuple[str, Span, Value, Marks, bool]]:
        """What the names of one file hold at each place, and the loops around it, in order.

        Last: is it, in some context, what a trace knows no value of?
        """
        own = (key for key in self.seen if key[0] == path)
        for key in sorted(own, key=lambda key: key[1]):
            yield key[2], key[1], self.seen[key], self.around[key], key in self.tracers

    def names(self, path: str) -> Iterator[NameValue]:
        """The names of one file, in the order of the text, as far as something is known."""
        own = (key for key in self.seen if key[0] == path)
        for key in sorted(own, key=lambda key: key[1]):
            _, span, name, stored = key
            value = self.seen[key]
            words = in_words(value)
            if key in self.in_trace:  # numpy arrays that are given to a trace are tracers in it
                words = words.replace("numpy ", "")
            if words:
                arrays = all(isinstance(atom, Array) for atom in value.atoms if _atom(atom))
                yield NameValue(name, span, words, stored, arrays)


def observing() -> Running:
    """What runs units with an `Observer` for its engine."""
    running = Running()
    running.engine = Observer()
    return running


def in_words(value: Value) -> str:
    """`float32[8, 3]`, `int`, `(float32[], dict)`; empty where nothing is known."""
    words = sorted(dict.fromkeys(filter(None, map(_atom, _telling(value)))))
    if not words or len(words) > _MOST:
        return ""
    return " or ".join(words)


def _telling(value: Value) -> list[Atom]:
    """Without arrays of which nothing is known, where others are: those of unknown callers."""
    known = [
        atom
        for atom in value.atoms
        if not (isinstance(atom, Array) and atom.shape is None and atom.dtype is None)
    ]
    return known or list(value.atoms)


def _atom(atom: Atom) -> str:
    match atom:
        case Array():
            return _array(atom)
        case Constant(value=value):
            text = repr(value)
            return text if len(text) <= _LONGEST else atom.type
        case Number(type=name):
            return name
        case Tuple(items=items):
            return f"({', '.join(_parts(items))}{',' * (len(items) == 1)})"
        case Sequence(element=element):
            return f"sequence of {in_words(element) or '?'}"
        case Mapping():
            return "dict"
        case Library(name=name):
            return name
        case Method(name=name):
            return f"method {name}"
        case Object(site=site):
            word = site.info.get("word")
            if site.kind == "instance" and site.info.get("class") is not None:
                return f"{site.info['class'].info['function'].name} object"
            return f"{word} of a function" if word else _SITES.get(site.kind, "")
    return ""


def _parts(items: tuple[Value, ...]) -> list[str]:
    shown = [in_words(item) or "?" for item in items[:_MOST]]
    return [*shown, "..."] if len(items) > _MOST else shown


def _array(array: Array) -> str:
    if array.key is not None or array.dtype == "key":
        return "random key" if not array.shape else f"random keys[{_shape(array.shape)}]"
    dtype = array.dtype or "array"
    shape = "..." if array.shape is None else _shape(array.shape)
    if array.place == "python":
        return f"Python {dtype}"
    weak = ", weak type" if array.weak else ""
    host = "numpy " if array.place == "host" else ""
    return f"{host}{dtype}[{shape}]{weak}"


def _shape(sizes: tuple[Size, ...]) -> str:
    return ", ".join(map(_size, sizes))


def _size(size: Size) -> str:
    """A number, a few numbers, or `?`."""
    if size.constant is not None:
        return str(size.constant)
    if size.few and len(size.few) <= _MOST:
        return "|".join(map(str, sorted(size.few)))
    return "?"
