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
from typing import TYPE_CHECKING, Any, NamedTuple

from reference_trainer.config import UserError

if TYPE_CHECKING:  # the package is optional
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")
TRAINING, HELD_OUT = "#8fb8de", "#0b3c6f"


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
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(9, 4.8), layout="constrained")
    axes = figure.subplots()
    axes.plot(*training, color=TRAINING, linewidth=1.2, label="training")
    axes.plot(*held_out, color=HELD_OUT, linewidth=1.8, marker="o", markersize=4, label="held out")
    for i, (name, bits) in enumerate(sorted(bars.items(), key=lambda bar: -bar[1])):
        label = f"{bits:.3f}  {name}"  # in the legend in the order of the lines
        axes.axhline(bits, color=f"C{i}", linewidth=0.9, linestyle="--", zorder=0, label=label)
    axes.set_ylim(*limits(training, held_out, list(bars.values())))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_xlim(left=0)
    axes.set_xlabel("targets seen")
    axes.set_ylabel("bits per target")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8.5)
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
