"""`--why FILE:LINE`: is this traced, through which chain; what do the names hold; what compiles.

Which code is traced, and what kinds of values names have, comes from the analysis of functions;
shapes, where sizes come from and how many programs there are, from the engine.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from gotcha_lint.analysis.model import Function
from gotcha_lint.domain.value import Value, join
from gotcha_lint.engine import Analysed
from gotcha_lint.findings.forecast import interpret
from gotcha_lint.solve.compiled_functions import Place
from gotcha_lint.text.source import Source
from gotcha_lint.text.unwarned import unwarned
from gotcha_lint.views import describe
from gotcha_lint.views.compiles import Row, programs, rows_of, seen_in_part
from gotcha_lint.views.name_values import Observer, has_shape, in_words, observing
from gotcha_lint.views.sizes import At, Varies, varying
from gotcha_lint.workers.pipeline import Run
from gotcha_lint.workers.shard import Shard


@dataclass(frozen=True, slots=True)
class Explained:
    """A function and its lines, or the module (whole file), and what is known of it."""

    name: str
    lines: tuple[int, int]
    cell: int | None
    text: str


def functions(run: Run, path: str) -> list[Explained]:
    """What is known of every function of a file, and of its top level; none if not analysed."""
    shard = run.pool.local()
    if path not in shard.models:
        return []
    model, positions, source = shard.models[path], shard.positions(path), shard.sources[path]
    found = []
    for function in (model.module, *model.functions[1:]):
        whole = 0, len(source.text)
        start, end = whole if function is model.module else positions.span(function.node)
        first, _, cell = source.position(start)
        text = "\n".join(_trace(run, shard, path, function))
        lines = first, source.position(end)[0]
        found.append(Explained(function.qualname, lines, cell, text))
    return found


def why(analysed: Analysed, line: int) -> str:
    """What is known of the function around a line.

    Raises ValueError if the file was not analysed, or has no such line.
    """
    path, run = analysed.path, analysed.run
    shard = run.pool.local()
    if path not in shard.models:
        raise ValueError(
            f"{path} was not analysed: it cannot be read, or nothing in it reaches JAX"
        )
    source = shard.sources[path]
    lines = source.lines()
    if line > (count := len(lines) - (not lines[-1])):
        raise ValueError(f"{path} has {count} line{'' if count == 1 else 's'}")
    function = _innermost(shard, path, source.offset(line, 1), line)
    seen = _seen(analysed, shard, function)
    out = [*_trace(run, shard, path, function), *_names(shard, path, function, seen.values)]
    for varies in seen.sizes:
        out.append(f"  {varies.text}")
        out += _because(varies.places, seen.sources)
    for row in seen.rows:
        out.append(f"  `{row.function}` {programs(row)}")
        out += [f"    because: {_argument(r.argument)}{r.text}" for r in row.reasons]
    if analysed.left_out:
        files = "1 more file that imports" if analysed.left_out == 1 else (
            f"{analysed.left_out} more files that import"
        )  # fmt: skip
        out.append(f"  not looked at: {files} {path}")
    return "\n".join(out)


def _innermost(shard: Shard, path: str, offset: int, line: int) -> Function:
    """The smallest function whose lines hold this one; decorators count."""
    model, positions, source = shard.models[path], shard.positions(path), shard.sources[path]
    best, size = model.module, len(source.text) + 1
    for function in model.functions[1:]:
        start, end = positions.span(function.node)
        first, last = source.position(start)[0], source.position(end)[0]
        if first <= line <= last and end - start < size:
            best, size = function, end - start
    return best


def _trace(run: Run, shard: Shard, path: str, function: Function) -> Iterator[str]:
    body = shard.body((path, function.number))
    yield f"{function.qualname or 'the module'}: {describe.trace(body.trace if body else None)}"
    if body is None:
        return
    sites = [*(body.trace.chain if body.trace else ()), *body.hot]
    places = run.pool.places([site for site, _ in sites])
    for label, chain in (
        ("because", body.trace.chain if body.trace else ()),
        ("runs many times", body.hot),
    ):
        for site, text in chain:
            span = places.get(site)
            where = _where(site[0], span[0], span[4]) if span is not None else site[0]
            yield f"  {label}: {where} {text}"
    if body.trace is not None and body.hosted:
        yield "  also called from code that is not traced"


def _names(shard: Shard, path: str, function: Function, values: Mapping[str, str]) -> Iterator[str]:
    """A line for each name: its kind, and its shape and dtype where they are known."""
    body = shard.body((path, function.number))
    if body is None:
        return
    width = max((len(name) for name in body.names), default=0)
    for name, value in body.names.items():
        words = describe.value(value)
        exact = values.get(name, "")
        if exact and exact != words:
            words = f"{words} {exact.removeprefix('numpy ')}" if words else exact
        yield f"    {name:<{width}}  {words or 'unknown'}"


# What the engine sees


@dataclass(frozen=True, slots=True)
class _Seen:
    """`values`: shapes and dtypes by name. `rows`: of compiled functions at these lines."""

    values: Mapping[str, str]
    sizes: tuple[Varies, ...]
    rows: tuple[Row, ...]
    sources: Mapping[str, Source]


def _seen(analysed: Analysed, shard: Shard, function: Function) -> _Seen:
    path, space = analysed.path, analysed.near
    (component,) = space.components
    running = observing()
    interpreted = interpret(space, component, [path], count=True, running=running)
    assert isinstance(running.engine, Observer)
    own = _own_lines(shard, path, function)
    statements = _statement_loops(interpreted.sources)
    values: dict[str, Value] = {}
    sizes: dict[str, Varies] = {}
    for name, span, value, around in running.engine.values(path):
        if span[0] in own:
            values[name] = join(values[name], value) if name in values else value
            for varies in varying(name, value, At(path, around, statements)):
                sizes.setdefault(varies.text, varies)
    words = {name: in_words(value) for name, value in values.items() if has_shape(value)}
    source = shard.sources[path]

    def is_here(row: Row) -> bool:
        """Compiled, defined or called in these lines."""
        return (
            (row.path == path and _joined(source, row) in own)
            or (row.defined_in == path and row.defined[1] in own)
            or any(reason.path == path and reason.line in own for reason in row.reasons)
        )

    found = seen_in_part(rows_of(interpreted, component), analysed.partial)
    rows = tuple(row for row in found if is_here(row))
    return _Seen(words, tuple(sizes.values()), rows, interpreted.sources)


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


def _own_lines(shard: Shard, path: str, function: Function) -> frozenset[int]:
    """The lines of a function that are in no function within it, in the text of all cells."""
    model, positions, text = shard.models[path], shard.positions(path), shard.sources[path].text

    def lines(start: int, end: int) -> range:
        return range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2)

    spans = [(f, positions.span(f.node)) for f in model.functions[1:]]
    whole = next((span for f, span in spans if f is function), (0, len(text)))
    inner = [lines(*span) for f, span in spans if f is not function and _is_within(span, whole)]
    return frozenset(lines(*whole)).difference(*inner)


def _joined(source: Source, row: Row) -> int:
    """The row's line in the text of all cells."""
    return source.text.count("\n", 0, source.offset(row.line, 1, row.cell)) + 1


def _is_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _because(places: Iterable[Place], sources: Mapping[str, Source]) -> Iterator[str]:
    for path, span, text in places:
        source = sources.get(path)
        if source is None:
            continue
        line, _, cell = source.position(source.offset(*span[:2]))
        yield f"    because: {_where(path, line, cell)} {text}"


def _where(path: str, line: int, cell: int | None) -> str:
    return f"{path}:{line}" if cell is None else f"{path}:cell {cell}:{line}"


def _argument(name: str) -> str:
    return f"`{name}` " if name else ""
