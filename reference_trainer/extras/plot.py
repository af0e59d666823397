"""The losses of a run beside what they have to beat, as a picture.

Wrong: a falling curve alone: every loss falls. A curve over steps: twice the batch looks twice as
good.
Right: bits per target over targets seen, with each baseline as a line across the picture.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from reference_trainer.config import UserError

if TYPE_CHECKING:  # the package is optional
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")
TRAINING, HELD_OUT, BASELINE = "#8fb8de", "#0b3c6f", "#7a7a7a"
FONT = 8.5  # of the labels, in points
GAP = FONT * 1.3 / 72  # between two labels, in inches
BELOW, ABOVE = 0.55, 0.4  # margins, in inches


class PlotError(UserError):
    """No metrics, or no means of drawing them."""


class Curve(NamedTuple):
    """Points in the order of steps."""

    seen: list[float]  # targets
    bits: list[float]  # per target


def plot(metrics: Path, baselines: Mapping[str, float], target: Path) -> None:
    """Draw a run's metrics.jsonl and the baselines into a .png or .svg; PlotError."""
    if target.suffix not in SUFFIXES:
        raise PlotError(f"{target}: a plot is written as {' or '.join(SUFFIXES)}")
    training, held_out = read(metrics)
    bars = {name: bits for name, bits in baselines.items() if not name.endswith("accuracy")}
    try:
        figure = _figure(training, held_out, bars)
        target.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(target, dpi=150)
    except ImportError:
        raise PlotError("a plot needs: pip install matplotlib") from None
    except OSError as error:
        raise PlotError(f"{target}: {error.strerror}") from None


def _figure(training: Curve, held_out: Curve, bars: Mapping[str, float]) -> Figure:
    from matplotlib.figure import Figure  # without pyplot: no window, nothing global is changed

    height = max(4.8, GAP * (len(bars) + 3) + BELOW + ABOVE)
    figure = Figure(figsize=(9, height))
    axes = figure.subplots()
    figure.subplots_adjust(0.08, BELOW / height, 0.78, 1 - ABOVE / height)
    axes.plot(*training, color=TRAINING, linewidth=1.2, label="training")
    axes.plot(*held_out, color=HELD_OUT, linewidth=1.8, marker="o", markersize=4, label="held out")
    axes.set_ylim(*limits(training, held_out, list(bars.values())))
    _label(axes, bars, held_out, GAP / (height - BELOW - ABOVE))
    _finish(axes)
    return figure


def read(metrics: Path) -> tuple[Curve, Curve]:
    """Training and held-out losses; PlotError. A step that was run twice counts as run last."""
    training: dict[int, tuple[float, float]] = {}
    held_out: dict[int, tuple[float, float]] = {}
    for line in _lines(metrics):
        step, seen = line["step"], line["tokens"]
        if isinstance(line.get("loss"), (int, float)):  # a loss that is not finite is a string
            training[step] = seen, line["loss"] / math.log(2)
        if isinstance(line.get("eval_bits"), (int, float)):
            held_out[step] = seen, line["eval_bits"]
    if not (training or held_out):
        raise PlotError(f"{metrics}: no losses in it yet")
    return _curve(training), _curve(held_out)


def _curve(points: dict[int, tuple[float, float]]) -> Curve:
    ordered = [points[step] for step in sorted(points)]
    return Curve([seen for seen, _ in ordered], [bits for _, bits in ordered])


def _lines(metrics: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = metrics.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PlotError(f"{metrics}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
            if value["step"] >= 0 and value["tokens"] >= 0:
                yield value
        except (ValueError, TypeError, KeyError):
            if number < len(lines):  # the last line may be half written by a run that was killed
                raise PlotError(f"{metrics}, line {number}: no metrics: {line[:60]!r}") from None


def limits(training: Curve, held_out: Curve, bars: Sequence[float]) -> tuple[float, float]:
    """Of the picture: the first losses of a run, far above all else, are left outside."""
    shown = [*held_out.bits, *bars]
    low = min([*shown, *training.bits])
    high = max(shown or training.bits)
    margin = 0.06 * (high - low) or 0.5
    return low - margin, high + margin


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Ascending places from 0 to 1, moved as little as possible until they are `gap` apart.

    Where they are too close they form a block around the mean of the places wanted.
    """
    blocks: list[list[float]] = []
    for i, place in enumerate(places):
        blocks.append([place - i * gap])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    starts = [fmean(block) for block in blocks for _ in block]
    last = 1 - gap * (len(places) - 1)
    return [min(max(start, 0), last) + i * gap for i, start in enumerate(starts)]


def _label(axes: Axes, bars: Mapping[str, float], held_out: Curve, gap: float) -> None:
    """Lines for the baselines; their names in the margin, and the held-out loss among them."""
    low, high = axes.get_ylim()
    labels = [(bits, name, BASELINE) for name, bits in bars.items()]
    for bits, _, color in labels:
        axes.axhline(bits, color=color, linewidth=0.7, linestyle=(0, (5, 4)), zorder=0)
    if held_out.bits:
        labels.append((held_out.bits[-1], "held out, last", HELD_OUT))
    labels.sort()
    wanted = [(bits - low) / (high - low) for bits, _, _ in labels]
    for (bits, name, color), place, moved in zip(labels, wanted, spread(wanted, gap), strict=True):
        side = {"transform": axes.transAxes, "color": color, "clip_on": False}
        axes.plot([1, 1.035], [place, moved], linewidth=0.6, **side)
        weight = "bold" if color == HELD_OUT else "normal"
        text = f"{bits:.3f}  {name}"
        axes.text(1.04, moved, text, va="center_baseline", fontsize=FONT, weight=weight, **side)


def _finish(axes: Axes) -> None:
    from matplotlib.ticker import EngFormatter

    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_xlim(left=0)
    axes.set_xlabel("targets seen")
    axes.set_ylabel("bits per target")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
