"""A finding before its offsets are lines and columns."""

from __future__ import annotations

from dataclasses import dataclass

from gotcha_lint.analysis.values import Site
from gotcha_lint.finding import Confidence, Fix, Place, Severity


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding with offsets for places; the chain may point into other files."""

    name: str
    message: str
    path: str
    start: int
    end: int
    severity: Severity
    confidence: Confidence
    chain: tuple[tuple[Site, str], ...]
    fix: Fix | None
    id: str
    places: tuple[Place, ...] = ()  # of the chain, after those above: from a forecast
