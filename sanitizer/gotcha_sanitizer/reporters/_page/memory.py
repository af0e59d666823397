"""Memory over time: live arrays, and the process as a whole."""

from __future__ import annotations

from gotcha_sanitizer.record import Json, Run
from gotcha_sanitizer.reporters._page.axis import ticks
from gotcha_sanitizer.reporters._page.markup import Markup, join, tag
from gotcha_sanitizer.words import seconds, size

_POINTS = 400
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 1200, 240, 90, 24, 8
_CURVES = {"bytes": ("", "live arrays"), "resident": ("resident", "the whole process")}


def memory(run: Run) -> Markup:
    """The section; nothing with fewer than two samples."""
    if len(run.memory) < 2:
        return Markup("")
    end = max(run.last, run.memory[-1]["at"]) or 1.0
    curves = {name: _binned(run.memory, name, end) for name in _CURVES}
    curves = {name: points for name, points in curves.items() if any(y for _, y in points)}
    top = max((y for points in curves.values() for _, y in points), default=1.0) or 1.0
    peak = max(sample["bytes"] for sample in run.memory)
    drawing = tag(
        "svg",
        _axes(end, top),
        *(_curve(points, end, top, _CURVES[name][0]) for name, points in curves.items()),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"Memory over {seconds(end)}: live arrays began with "
        f"{size(run.memory[0]['bytes'])}, ended with {size(run.memory[-1]['bytes'])}, "
        f"and had {size(peak)} at most",
    )
    return tag(
        "section",
        tag("h2", "Memory"),
        tag("div", drawing, _legend(list(curves)), class_="card"),
        id="memory",
    )


def _binned(samples: list[Json], name: str, end: float) -> list[tuple[float, float]]:
    """The largest sample of each bin: (seconds, bytes)."""
    best: dict[int, tuple[float, float]] = {}
    for sample in samples:
        index = int(sample["at"] / end * _POINTS)
        point = (sample["at"], float(sample.get(name) or 0))
        if index not in best or point[1] > best[index][1]:
            best[index] = point
    return [best[index] for index in sorted(best)]


def _x(at: float, end: float) -> float:
    return _LEFT + at / end * (_WIDTH - _LEFT - 8)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - value / top * (_HEIGHT - _BOTTOM - _TOP)


def _curve(points: list[tuple[float, float]], end: float, top: float, kind: str) -> Markup:
    drawn = " ".join(f"{_x(at, end):.1f},{_y(value, top):.1f}" for at, value in points)
    return tag("polyline", points=drawn, class_=f"curve {kind}".strip())


def _axes(end: float, top: float) -> Markup:
    parts = []
    for value in ticks(top, 4):
        y = f"{_y(value, top):.1f}"
        parts.append(tag("line", x1=_LEFT, x2=_WIDTH, y1=y, y2=y, class_="axis"))
        label = size(value)
        parts.append(tag("text", label, x=_LEFT - 8, y=float(y) + 4, text_anchor="end", class_="soft"))
    for at in ticks(end, 10):
        x = f"{_x(at, end):.1f}"
        anchor = "end" if at > 0.97 * end else "middle"
        label = seconds(at) if at else "0"
        parts.append(tag("text", label, x=x, y=_HEIGHT - 6, text_anchor=anchor, class_="soft"))
    return join(parts)


def _legend(names: list[str]) -> Markup:
    items = []
    for name in names:
        kind, words = _CURVES[name]
        line = tag("line", x1=0, x2=14, y1=5, y2=5, class_=f"curve {kind}".strip())
        items.append(tag("li", tag("svg", line, aria_hidden="true"), words))
    return tag("ul", *items, class_="legend")
