"""When what was compiled: a lane for each function, binned, so that a storm stays a small page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gotcha_sanitizer.reporters._page.axis import ticks, times
from gotcha_sanitizer.reporters._page.markup import Markup, join, prose, tag
from gotcha_sanitizer.reporters._page.steps import Steps, steps
from gotcha_sanitizer.run.record import Json, Run
from gotcha_sanitizer.values.rows import row_key
from gotcha_sanitizer.values.words import plural, seconds, short

_Lanes = list[tuple[str, list[Json]]]  # name and programs of each
_LANES = 12
_BINS = 300
_LEFT, _WIDTH, _LANE, _TOP = 290, 1200, 24, 6
_KINDS = ("again", "first", "cached")  # the first that a bin has colours it


@dataclass
class _Bin:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    seconds: float = 0.0
    worst: float = -1.0
    why: str = ""

    def add(self, program: Json, kind: str, part: float) -> None:
        took = sum(program["seconds"].values())
        self.counts[kind] += 1
        self.seconds += part
        if took > self.worst:
            self.worst, self.why = took, "; ".join(program["why"]) or program["shapes"]


@dataclass(frozen=True)
class _Axis:
    """What runs from left to right. `span`: from where to where a program is drawn."""

    end: float
    span: Callable[[Json], tuple[float, float]]
    marks: list[tuple[float, str]]
    label: Callable[[float], str]


def timeline(run: Run) -> Markup:
    """The section; nothing where nothing was compiled."""
    if not run.programs:
        return Markup("")
    lanes = _lanes(run)
    drawings = [_drawing(run, lanes, _over_time(run), "over time")]
    if found := steps(run):
        words = f"over {found.loop}"
        drawings = [
            tag("h3", prose(f"Over {found.loop}, up to the last compile")),
            _drawing(run, lanes, _over_steps(found), words),
            tag("h3", "Over time"),
            *drawings,
        ]
    return tag(
        "section",
        tag("h2", "When it compiled"),
        tag("div", *drawings, _legend(), class_="card"),
        id="timeline",
    )


def _over_time(run: Run) -> _Axis:
    end = max(run.last, *(program["at"] for program in run.programs)) or 1.0
    marks = [(at, seconds(at) if at else "0") for at in times(end, 10)]

    def span(program: Json) -> tuple[float, float]:
        return program["at"] - sum(program["seconds"].values()), program["at"]

    return _Axis(end, span, marks, seconds)


def _over_steps(found: Steps) -> _Axis:
    marks = [(at, f"{at:,.0f}") for at in ticks(found.end, 10) if at == int(at)]

    def span(program: Json) -> tuple[float, float]:
        at = found.of(program)
        return at, at

    return _Axis(found.end + 1, span, marks, lambda at: f"iteration {at:,.0f}")


def _drawing(run: Run, lanes: _Lanes, axis: _Axis, words: str) -> Markup:
    height = _TOP + _LANE * len(lanes) + 26
    return tag(
        "svg",
        _axis(axis, height),
        *(_lane(i, name, programs, axis) for i, (name, programs) in enumerate(lanes)),
        viewBox=f"0 0 {_WIDTH} {height}",
        role="img",
        aria_label=f"Timeline of {plural(len(run.programs), 'compiled program')} {words}; "
        "the table below has the same numbers",
    )


def _kind(program: Json) -> str:
    if program["cached"] is True:
        return "cached"
    return "again" if program["causes"] else "first"


def _lanes(run: Run) -> _Lanes:
    """The functions that took longest, the rest together; jitted functions before operations."""
    groups: dict[object, list[Json]] = defaultdict(list)
    for program in run.programs:
        groups[row_key(program)[:3] if not program["eager"] else "operations"].append(program)
    operations = groups.pop("operations", [])
    ranked = sorted(groups.values(), key=lambda programs: -_spent(programs))
    lanes = [(_name(programs[0]), programs) for programs in ranked[:_LANES]]
    if rest := ranked[_LANES:]:
        lanes.append((f"{len(rest)} other functions", [p for group in rest for p in group]))
    if operations:
        lanes.append(("operations outside of jit", operations))
    return lanes


def _spent(programs: Iterable[Json]) -> float:
    return sum(sum(program["seconds"].values()) for program in programs)


def _name(program: Json) -> str:
    _, path, line, _ = row_key(program)
    return f"{program['function']} ({short(path)}:{line})"


def _lane(number: int, name: str, programs: list[Json], axis: _Axis) -> Markup:
    top = _TOP + number * _LANE
    bins: dict[int, _Bin] = defaultdict(_Bin)
    for program in programs:
        kind = _kind(program)
        took = sum(program["seconds"].values())
        begin, end = (int(at / axis.end * _BINS) for at in axis.span(program))
        last = min(end, _BINS - 1)
        first = max(0, min(begin, last))
        for index in range(first, last + 1):
            bins[index].add(program, kind, took / (last - first + 1))
    return tag(
        "g",
        tag("title", name),
        tag("text", cut(name), x=0, y=top + 16),
        *(_rectangle(index, found, top, axis) for index, found in sorted(bins.items())),
    )


def _rectangle(index: int, found: _Bin, top: int, axis: _Axis) -> Markup:
    width = (_WIDTH - _LEFT) / _BINS
    kind = next(kind for kind in _KINDS if found.counts[kind])
    at = axis.label(index / _BINS * axis.end)
    words = {"again": "compiled again", "first": "compiled first", "cached": "from the cache"}
    counts = ", ".join(f"{n} {words[kind]}" for kind, n in found.counts.items() if n)
    return tag(
        "rect",
        tag("title", f"at {at}: {counts}, {seconds(found.seconds)}; {found.why[:160]}"),
        x=f"{_LEFT + index * width:.1f}",
        y=top + 3,
        width=f"{width:.1f}",
        height=_LANE - 7,
        class_=kind,
    )


def cut(name: str, most: int = 34) -> str:
    """The folders go first, then the beginning of the function's name; never the line."""
    if len(name) > most:
        name = re.sub(r"\(.*/", "(", name)
    return name if len(name) <= most else f"…{name[1 - most :]}"


def _axis(axis: _Axis, height: int) -> Markup:
    parts = []
    for at, label in axis.marks:
        x = f"{_LEFT + at / axis.end * (_WIDTH - _LEFT):.1f}"
        parts.append(tag("line", x1=x, x2=x, y1=_TOP, y2=height - 22, class_="axis"))
        anchor = "end" if at > 0.97 * axis.end else "middle"
        parts.append(tag("text", label, x=x, y=height - 6, text_anchor=anchor, class_="soft"))
    return join(parts)


def _legend() -> Markup:
    words = {
        "first": "compiled for the first time",
        "again": "compiled again",
        "cached": "from the persistent cache",
    }
    items = (
        tag(
            "li",
            tag("svg", tag("rect", width=14, height=10, class_=kind), aria_hidden="true"),
            text,
        )
        for kind, text in words.items()
    )
    return tag("ul", *items, class_="legend")
