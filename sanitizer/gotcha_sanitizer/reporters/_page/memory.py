"""Memory over time: live arrays, and the process as a whole, each on a scale of its own."""

from __future__ import annotations

from gotcha_sanitizer.reporters._page.axis import sizes, times
from gotcha_sanitizer.reporters._page.markup import Markup, join, tag
from gotcha_sanitizer.run.record import Json, Run
from gotcha_sanitizer.values.words import seconds, size

_POINTS = 400
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 1200, 180, 90, 24, 8
_CURVES = {"bytes": "Live arrays", "resident": "The whole process"}

Points = list[tuple[float, float]]  # (seconds, bytes)


def memory(run: Run) -> Markup:
    """The section; nothing with fewer than two samples."""
    if len(run.memory) < 2:
        return Markup("")
    end = max(run.last, run.memory[-1]["at"]) or 1.0
    curves = {title: _binned(run.memory, name, end) for name, title in _CURVES.items()}
    charts = (_chart(title, points, end) for title, points in curves.items())
    return tag("section", tag("h2", "Memory"), tag("div", *charts, class_="card"), id="memory")


def _chart(title: str, points: Points, end: float) -> Markup:
    top = max(value for _, value in points)
    if not top:  # not known on this system
        return Markup("")
    words = f"{title}: {size(points[0][1])} at first, {size(points[-1][1])} at last, "
    words += f"{size(top)} at most"
    drawn = " ".join(f"{_x(at, end):.1f},{_y(value, top):.1f}" for at, value in points)
    drawing = tag(
        "svg",
        _axes(end, top),
        tag("polyline", points=drawn, class_="curve"),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"{words}, over {seconds(end)}",
    )
    return join([tag("p", words, class_="soft"), drawing])


def _binned(samples: list[Json], name: str, end: float) -> Points:
    """The largest sample of each bin."""
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


def _axes(end: float, top: float) -> Markup:
    parts = []
    for value in sizes(top, 4):
        y = _y(value, top)
        parts.append(tag("line", x1=_LEFT, x2=_WIDTH, y1=f"{y:.1f}", y2=f"{y:.1f}", class_="axis"))
        label = tag("text", size(value), x=_LEFT - 8, y=f"{y + 4:.1f}", text_anchor="end")
        parts.append(tag("g", label, class_="soft"))
    for at in times(end, 10):
        anchor = "end" if at > 0.97 * end else "middle"
        where = {"x": f"{_x(at, end):.1f}", "y": _HEIGHT - 6, "text_anchor": anchor}
        parts.append(tag("text", seconds(at) if at else "0", class_="soft", **where))
    return join(parts)
