"""The table of the text report: what was compiled, how often, how long it took and why."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.output.paint import one_line
from gotcha_sanitizer.run.record import Run, stages
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.rows import Inlined, Row, Sums
from gotcha_sanitizer.values.words import place, plural, seconds, short

_ROWS, _CALLERS, _INLINED = 8, 6, 3
_ALWAYS, _TINY = 2, 0.01  # rows that are shown in any case; others need this share of all seconds
_ALIKE = 4  # functions that one line alone has called: they are shown as one
_LABEL, _PLACE = 56, 28  # characters of the first column, and of a place that is cut
_CALLED = "  called at "
_NARROW = 44  # characters of the first column; with less room, the stages are added up


@dataclass(frozen=True)
class _Label:
    """What the first column says: `what`, then the path and what is behind it, as a line."""

    what: str
    path: str
    behind: str  # ":41", ", line 41" in a cell

    def text(self, path: str, room: int) -> str:
        if self.what == _CALLED:
            return _CALLED + _end(path + self.behind, room - len(_CALLED))
        return _fitted(self.what, path + self.behind, room)

    def fits(self, path: str, room: int) -> bool:
        brackets = 0 if self.what == _CALLED else len(" ()")
        return len(self.what) + brackets + len(path) + len(self.behind) <= room


def table(run: Run, columns: int = 0) -> Iterator[str]:
    """Where the seconds of compiling went, and for which lines that called a function.

    `columns` of a terminal: in a narrow one, the stages are added up. 0: as wide as it gets.
    """
    rows = sorted(run.rows.values(), key=lambda row: -row.total)
    entries = [*_by_caller(_functions(rows)), *_by_line(rows)]
    entries.sort(key=lambda entry: -sum(row.total for row in entry))
    least = _TINY * sum(row.total for row in rows)
    shown = [
        entry
        for number, entry in enumerate(entries[:_ROWS])
        if number < _ALWAYS or sum(row.total for row in entry) >= least
    ]
    labelled = list(_labelled(shown))
    whys = [_why(sums) for _, sums in labelled]
    beside = 2 + 2 + 5 + 2 + max(map(len, whys), default=0)
    times = _times(stages(run), labelled)
    room = min(_LABEL, columns - beside - _width(times)) if columns else _LABEL
    if room < min(_NARROW, max((len(_whole(each)) for each, _ in labelled), default=0)):
        times = _times((), labelled)
        room = max(min(_LABEL, columns - beside - _width(times)), _PLACE)
    spelled = _spelled([label for label, _ in labelled], room)
    labels = [label.text(spelled[label.path], room) for label, _ in labelled]
    width = max(map(len, labels), default=0)
    head, *spent = times
    yield f"  {'compiled':<{width}}  {'times':>5}  {head}why"
    for label, (_, sums), took, why in zip(labels, labelled, spent, whys, strict=True):
        yield f"  {label:<{width}}  {sums.programs:>5}  {took}{why}".rstrip()
    told = {id(row) for row in itertools.chain(*shown)}
    if rest := [row.total for row in rows if id(row) not in told]:
        yield f"  and {plural(len(rest), 'other')}, {seconds(sum(rest))}"


def _times(parts: Sequence[str], labelled: Sequence[tuple[_Label, Sums]]) -> list[str]:
    """The head and the seconds of each row: of these stages, or of all together without any."""
    rows = [[_spent(sums.seconds[part]) for part in parts] for _, sums in labelled]
    if not parts:
        parts, rows = ("seconds",), [[_spent(sums.total)] for _, sums in labelled]
    widths = [max(8, *(len(text) for text in column)) for column in zip(parts, *rows, strict=True)]
    return [
        "".join(f"{text:>{width}}  " for text, width in zip(row, widths, strict=True))
        for row in (parts, *rows)
    ]


def _width(times: Sequence[str]) -> int:
    return len(times[0])


def _whole(label: _Label) -> str:
    return label.text(label.path, _LABEL)


def _spelled(labels: Iterable[_Label], room: int) -> dict[str, str]:
    """One spelling for each path in the whole table: the longest with which its labels fit."""
    of: dict[str, list[_Label]] = {}
    for label in labels:
        of.setdefault(label.path, []).append(label)
    return {
        path: next((form for form in forms if all(one.fits(form, room) for one in many)), forms[-1])
        for path, many in of.items()
        if (forms := list(_forms(path)))
    }


def _forms(path: str) -> Iterator[str]:
    yield path
    parts = path.split(os.sep)
    for kept in (2, 1):
        if len(parts) > kept:
            yield os.path.join("...", *parts[-kept:])


def _functions(rows: Sequence[Row]) -> list[Row]:
    """Jitted functions; of those of libraries the ones that were compiled, not only traced."""
    return [
        row
        for row in rows
        if not row.eager and (row.owner == "user" or row.total > row.seconds["trace"])
    ]


def _by_caller(rows: Sequence[Row]) -> list[list[Row]]:
    """Functions one by one, but many that one line called, each with one program, as one."""
    lines: dict[Site, list[Row]] = {}
    for row in rows:
        if len(row.calls) == 1 and row.programs == 1:
            lines.setdefault(next(iter(row.calls)), []).append(row)
    together = [line for line in lines.values() if len(line) >= _ALIKE]
    told = {id(row) for row in itertools.chain(*together)}
    return [*together, *([row] for row in rows if id(row) not in told)]


def _by_line(rows: Sequence[Row]) -> list[list[Row]]:
    """What ran outside of jit, line by line: one call, as of `model.init`, runs many operations."""
    lines: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        if row.eager:
            lines.setdefault((row.path, row.line), []).append(row)
    return list(lines.values())


def _together(rows: Sequence[Row]) -> tuple[_Label, Sums]:
    together = Sums()
    for row in rows:
        together.add(row)
    together.causes = {}  # of operations that have nothing in common
    if rows[0].eager:
        return _defined(f"{len(rows)} operations outside of jit", rows[0]), together
    return _called(f"{len(rows)} functions", next(iter(rows[0].calls))), together


def _labelled(entries: Sequence[Sequence[Row]]) -> Iterator[tuple[_Label, Sums]]:
    room = _CALLERS
    for rows in entries:
        if len(rows) > 1:
            yield _together(rows)
            continue
        row = rows[0]
        yield _name(row), row
        if row.eager:
            continue
        callers = row.callers[:room] if len(row.calls) > 1 else []
        room -= len(callers)
        for site, sums in callers:
            yield _called(_CALLED, site), sums


def _why(sums: Sums) -> str:
    return ", ".join(f"{cause} {n}" if n > 1 else cause for cause, n in sums.causes.items())


def inlined(run: Run) -> Iterator[str]:
    """Functions whose seconds, and number of programs, are part of those of others."""
    known = run.only_inlined
    yield from (f"  {each.name} ({_place(each)}): {each}" for each in known[:_INLINED])
    if (more := len(known) - _INLINED) > 0:
        yield f"  and {plural(more, 'function')} more inlined in others: n/a"


def _spent(took: float) -> str:
    """A stage that was not seen, as a trace inside of an eager gradient, took some time too."""
    return seconds(took) if took else "n/a"


def _name(row: Row) -> _Label:
    return _defined(f"{row.function} outside of jit" if row.eager else row.function, row)


def _defined(what: str, row: Row) -> _Label:
    return _Label(what, short(row.path), f":{row.line}")


def _called(what: str, site: Site) -> _Label:
    path = short(site.path)
    return _Label(what, path, place(site).removeprefix(one_line(path)))


def _place(of: Row | Inlined) -> str:
    return f"{short(of.path)}:{of.line}"


def _fitted(what: str, where: str, room: int) -> str:
    """In the first column: the number of the line is never what is cut."""
    room -= len(" ()")
    where = _end(where, max(room - len(what), _PLACE))
    if len(what) > room - len(where):
        what = what[: room - len(where) - 3] + "..."
    return f"{what} ({where})"


def _end(text: str, room: int) -> str:
    return text if len(text) <= room else "..." + text[3 - room :]
