"""Makes docs/images/trainer-profile.svg from a profile of the reference trainer on a CPU.

python -m reference_trainer train --profile 5 run.steps=12 --out OUT
python docs/profile_picture.py OUT/profile
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

TARGET = Path(__file__).parent / "images" / "trainer-profile.svg"
STEPS = 3  # that are shown
# Row, colour, words, and what the name of the event holds: a function of the trainer, or of JAX.
KINDS = (
    ("host", "#c2511b", "dispatches step k", "PjitFunction(step)"),
    ("host", "#b9b2d8", "reads the loss of step k-1: waits for the device", " sent"),
    ("device", "#4472b8", "computes a step", "wait for completion"),
    ("prefetch", "#2e8b6f", "places the next batch", "_placed"),
)
ROWS = ("host", "device", "prefetch")
_LEFT, _WIDTH, _ROW, _TOP, _LEAST = 80, 860, 30, 8, 2.0


class Span(NamedTuple):
    """One event, in milliseconds."""

    kind: int  # a place in KINDS
    start: float
    end: float


def read(folder: Path) -> list[Span]:
    """The events of the newest trace in the folder that `--profile` writes."""
    newest = max(folder.rglob("*.trace.json.gz"))
    with gzip.open(newest, "rt", encoding="utf-8") as file:
        return spans(json.load(file)["traceEvents"])


def spans(events: Iterable[Mapping[str, Any]]) -> list[Span]:
    """From the first dispatch that is complete, over STEPS steps; time starts there."""
    found = sorted(
        {
            Span(kind, event["ts"] / 1e3, (event["ts"] + event["dur"]) / 1e3)
            for event in events
            if event.get("ph") == "X"
            for kind, (*_, name) in enumerate(KINDS)
            if name in event["name"]
        }
    )
    starts = [span.start for span in found if span.kind == 0]
    starts = [
        at for i, at in enumerate(starts) if not i or at - starts[i - 1] > 1
    ]  # JAX names both
    begin, end = starts[0], starts[STEPS]
    return [
        Span(kind, start - begin, min(stop, end) - begin)
        for kind, start, stop in found
        if begin <= start < end
    ]


def drawing(found: list[Span]) -> str:
    """As SVG, which loads nothing."""
    end = max(span.end for span in found)
    height = _TOP + _ROW * len(ROWS) + 26 + 18 * len(KINDS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        "<title>What host, device and prefetch thread do in three steps of training</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    parts += [_text(8, _TOP + _ROW * i + 19, name) for i, name in enumerate(ROWS)]
    for span in sorted(found, key=lambda span: -span.kind):  # a dispatch is thin: on top
        row, colour, *_ = KINDS[span.kind]
        x, y = _LEFT + _WIDTH * span.start / end, _TOP + _ROW * ROWS.index(row) + 4
        width = max(_WIDTH * (span.end - span.start) / end, _LEAST)
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="22" fill="{colour}"/>')
    bottom = _TOP + _ROW * len(ROWS)
    parts += [
        _text(_LEFT, bottom + 14, "0"),
        _text(_LEFT + _WIDTH - 40, bottom + 14, f"{end:.0f} ms"),
    ]
    for i, (row, colour, words, _) in enumerate(KINDS):
        y = bottom + 26 + 18 * i
        parts.append(f'<rect x="{_LEFT}" y="{y}" width="12" height="12" fill="{colour}"/>')
        parts.append(_text(_LEFT + 20, y + 11, f"{row}: {words}"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#333333">{escape(words)}</text>'


if __name__ == "__main__":
    TARGET.write_text(drawing(read(Path(sys.argv[1]))), encoding="utf-8")
