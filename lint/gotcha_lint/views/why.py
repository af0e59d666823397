"""`--why FILE:LINE`: is this traced, through which chain; which names are arrays, keys, static."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.analysis.model import Function
from gotcha_lint.engine import Report
from gotcha_lint.views import describe
from gotcha_lint.workers.pipeline import Run
from gotcha_lint.workers.shard import Shard


@dataclass(frozen=True, slots=True)
class Explained:
    """A function and its lines, or the module (whole file), and what is known of it."""

    name: str
    lines: tuple[int, int]
    cell: int | None
    text: str


def functions(report: Report, path: str) -> list[Explained]:
    """What is known of every function of a file, and of its top level; none if not analysed."""
    assert report.state is not None
    shard = report.state.pool.local()
    if path not in shard.models:
        return []
    model, positions, source = shard.models[path], shard.positions(path), shard.sources[path]
    found = []
    for function in (model.module, *model.functions[1:]):
        whole = 0, len(source.text)
        start, end = whole if function is model.module else positions.span(function.node)
        first, _, cell = source.position(start)
        text = "\n".join(_lines(report.state, shard, path, function, names=False))
        lines = first, source.position(end)[0]
        found.append(Explained(function.qualname, lines, cell, text))
    return found


def why(report: Report, path: str, line: int) -> str:
    """What is known of the function around a line.

    Raises ValueError if the file was not analysed, or has no such line.
    """
    assert report.state is not None
    shard = report.state.pool.local()
    if path not in shard.models:
        raise ValueError(
            f"{path} was not analysed: it cannot be read, or nothing in it reaches JAX"
        )
    source = shard.sources[path]
    lines = source.lines()
    if line > (count := len(lines) - (not lines[-1])):
        raise ValueError(f"{path} has {count} line{'' if count == 1 else 's'}")
    offset = source.offset(line, 1)
    return "\n".join(_lines(report.state, shard, path, _innermost(shard, path, offset, line)))


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


def _lines(
    run: Run, shard: Shard, path: str, function: Function, names: bool = True
) -> Iterator[str]:
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
            where = f"{site[0]}:{places[site][0]}" if site in places else site[0]
            yield f"  {label}: {where} {text}"
    if body.trace is not None and body.hosted:
        yield "  also called from code that is not traced"
    if not names:
        return
    width = max((len(name) for name in body.names), default=0)
    for name, value in body.names.items():
        words = describe.value(value)
        yield f"    {name:<{width}}  {words or 'unknown'}"
