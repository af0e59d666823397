"""`--why FILE:LINE`: is this traced, through which chain; what do the names hold; what compiles.

All of it is what the engine sees: calls, values of names, shapes, compiled functions. A may
analysis over the calls in the files that are looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from gotcha_lint.config.settings import Settings
from gotcha_lint.domain.value import Value, join
from gotcha_lint.engine import workspace
from gotcha_lint.findings.forecast import Interpreted, interpret
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.solve.compiled_functions import Place
from gotcha_lint.task import Failure
from gotcha_lint.text.source import Source
from gotcha_lint.text.unwarned import unwarned
from gotcha_lint.views.call_graph import Runs, runs
from gotcha_lint.views.compiles import Row, programs, rows_of, seen_in_part
from gotcha_lint.views.name_values import NameValue, Observer, in_words, observing
from gotcha_lint.views.sizes import At, Varies, varying

_DEFINED = ("function", "class", "module")
_IMPORTERS = 8  # files that import the one that is asked about: more take long, and say little


@dataclass(frozen=True, slots=True)
class Explained:
    """A function and its lines, or the module (whole file), and what is known of it."""

    name: str
    lines: tuple[int, int]
    cell: int | None
    text: str


class Looked:
    """What the engine has seen of a file, of some that import it, and of what these import."""

    def __init__(
        self,
        path: str,
        settings_for: Callable[[str], Settings],
        *,
        screen: bool = True,
        overlay: Mapping[str, bytes] | None = None,
    ) -> None:
        """Raises ConfigError, and ValueError for a file that is not analysed."""
        whole = workspace([path], settings_for, overlay or {}, screen)
        self.path = path
        self.space, self.left_out = whole.around(path, _IMPORTERS)
        running = observing()
        self.component = next(iter(self.space.components), frozenset[str]())
        self._seen: Interpreted = interpret(
            self.space,
            self.component,
            [path] if self.component else [],
            count=True,
            running=running,
        )
        assert isinstance(running.engine, Observer)
        self.observer = running.engine
        module = self._seen.modules.get(path)
        if module is None:
            raise ValueError(
                f"{path} was not analysed: it cannot be read, or nothing in it reaches JAX"
            )
        self.module: Module = module
        self.runs: Mapping[Function, Runs] = runs(self.observer.all_edges())

    @property
    def failures(self) -> list[Failure]:
        return self._seen.failures

    @property
    def sources(self) -> Mapping[str, Source]:
        return self._seen.sources

    @property
    def source(self) -> Source:
        return self.sources[self.path]

    @property
    def rows(self) -> list[Row]:
        """The compiled functions of the files that were looked at."""
        return seen_in_part(rows_of(self._seen, self.component), self.left_out > 0)

    @property
    def names(self) -> Iterator[NameValue]:
        return self.observer.names(self.path)

    def explained(self) -> Iterator[Explained]:
        """What is known of every function of the file, and of its top level."""
        for function in (self.module.top, *_functions(self.module)):
            lines = _joined_lines(self.source, function)
            first, _, cell = self.source.position(self.source.offset(lines.start, 1))
            last = self.source.position(self.source.offset(lines.stop - 1, 1))[0]
            text = "\n".join(self._trace(function))
            yield Explained(_name(function), (first, last), cell, text)

    def why(self, line: int) -> str:
        """What is known of the function around a line. Raises ValueError for no such line."""
        lines = self.source.lines()
        if line > (count := len(lines) - (not lines[-1])):
            raise ValueError(f"{self.path} has {count} line{'' if count == 1 else 's'}")
        function = _innermost(self.module, line)
        own = _own_lines(self.module, self.source, function)
        out = [*self._trace(function), *self._names(function, own)]
        for varies in self._sizes(own):
            out.append(f"  {varies.text}")
            out += self._because(varies.places)
        for row in filter(lambda row: self._is_about(row, own), self.rows):
            out.append(f"  `{row.function}` {programs(row)}")
            out += [f"    because: {_argument(r.argument)}{r.text}" for r in row.reasons]
        if self.left_out:
            files = "1 more file that imports" if self.left_out == 1 else (
                f"{self.left_out} more files that import"
            )  # fmt: skip
            out.append(f"  not looked at: {files} {self.path}")
        return "\n".join(out)

    def _trace(self, function: Function) -> Iterator[str]:
        run = self.runs.get(function)
        yield f"{_name(function) or 'the module'}: {_trace_in_words(function, run)}"
        if run is None:
            return
        for label, chain in (("because", run.traced), ("runs many times", run.hot)):
            for place in chain:
                yield f"  {label}: {self._where(place)} {place[2]}"
        if run.traced and run.hosted:
            yield "  also called from code that is not traced"

    def _names(self, function: Function, own: frozenset[int]) -> Iterator[str]:
        """A line for each name that is bound here, parameters first: what it holds, in words."""
        known: dict[str, Value] = {}
        tracers: set[str] = set()
        given = [parameter.name for parameter in function.parameters]
        bound = function.locals | {*given}
        for name, span, value, _, traced in self.observer.values(self.path):
            if span[0] in own and name in bound and in_words(value) not in _DEFINED:
                known[name] = join(known[name], value) if name in known else value
                if traced:
                    tracers.add(name)
        width = max(map(len, known), default=0)
        place = {name: number for number, name in enumerate(given)}
        for name in sorted(known, key=lambda name: place.get(name, len(place))):
            words = in_words(known[name])
            if name in tracers and not words.startswith("random key"):
                words = f"traced {words.replace('numpy ', '') or 'value'}"
            yield f"    {name:<{width}}  {words or 'unknown'}"

    def _sizes(self, own: frozenset[int]) -> list[Varies]:
        statements = _statement_loops(self.sources)
        sizes: dict[str, Varies] = {}
        for name, span, value, around, _ in self.observer.values(self.path):
            if span[0] in own:
                for varies in varying(name, value, At(self.path, around, statements)):
                    sizes.setdefault(varies.text, varies)
        return list(sizes.values())

    def _is_about(self, row: Row, own: frozenset[int]) -> bool:
        """Compiled, defined or called in these lines."""
        return (
            (row.path == self.path and self._joined(row) in own)
            or (row.defined_in == self.path and row.defined[1] in own)
            or any(reason.path == self.path and reason.line in own for reason in row.reasons)
        )

    def _joined(self, row: Row) -> int:
        """The row's line in the text of all cells."""
        return self.source.text.count("\n", 0, self.source.offset(row.line, 1, row.cell)) + 1

    def _because(self, places: Iterable[Place]) -> Iterator[str]:
        for place in places:
            if place[0] in self.sources:
                yield f"    because: {self._where(place)} {place[2]}"

    def _where(self, place: Place) -> str:
        path, span, _ = place
        source = self.sources.get(path)
        if source is None:
            return f"{path}:{span[0]}"
        line, _, cell = source.position(source.offset(*span[:2]))
        return f"{path}:{line}" if cell is None else f"{path}:cell {cell}:{line}"


def _trace_in_words(function: Function, run: Runs | None) -> str:
    """Traced or not, under which transforms, and which parameters are static."""
    if function.declared == "traced" and (run is None or not run.roles):
        return "traced, as its comment says"
    if run is None or not run.roles:
        called = run is not None or function.is_module
        return "not traced" if called else "not traced: nothing here calls it"
    words = f"traced ({', '.join(sorted(run.roles))})"
    static = run.static | function.static
    return f"{words}, static: {', '.join(sorted(static))}" if static else words


def _name(function: Function) -> str:
    return "" if function.is_module else function.qualname


def _functions(module: Module) -> list[Function]:
    """Functions and lambdas, in the order of the text."""
    own = (f for f in module.functions if not (f.is_module or f.is_class))
    return sorted(own, key=lambda f: (f.first or f.line, -f.end_line))


def _innermost(module: Module, line: int) -> Function:
    """The smallest function whose lines hold this one; decorators count."""
    around = [f for f in _functions(module) if (f.first or f.line) <= line <= f.end_line]
    return min(around, key=lambda f: f.end_line - (f.first or f.line), default=module.top)


def _joined_lines(source: Source, function: Function) -> range:
    """Of the text of all cells."""
    if function.is_module:
        return range(1, len(source.line_starts) + 1)
    return range(function.first or function.line, function.end_line + 1)


def _own_lines(module: Module, source: Source, function: Function) -> frozenset[int]:
    """The lines of a function that are in no function within it."""
    inner = (_joined_lines(source, f) for f in _functions(module) if _is_within(f, function))
    return frozenset(_joined_lines(source, function)).difference(*inner)


def _is_within(inner: Function, outer: Function) -> bool:
    at = inner.parent
    while at is not None and at is not outer:
        at = at.parent
    return at is outer


def _statement_loops(sources: Mapping[str, Source]) -> Callable[[str, int], bool]:
    """Does a `for` or `while` statement begin at a line of a file?"""

    @cache
    def lines(path: str) -> frozenset[int]:
        source = sources.get(path)
        try:
            with unwarned():
                nodes = list(ast.walk(ast.parse(source.text if source is not None else "")))
        except (SyntaxError, ValueError, RecursionError):  # newer than this Python
            return frozenset()
        return frozenset(
            n.lineno for n in nodes if isinstance(n, ast.For | ast.AsyncFor | ast.While)
        )

    return lambda path, line: line in lines(path)


def _argument(name: str) -> str:
    return f"`{name}` " if name else ""
