"""A finding before its offsets are lines and columns."""

from __future__ import annotations

from dataclasses import dataclass

from gotcha_lint import registry
from gotcha_lint.finding import Confidence, Finding, Fix, Place, Severity
from gotcha_lint.text.source import Source


@dataclass(frozen=True, slots=True)
class Draft:
    """`start` and `end` are offsets; the places of the chain may be in other files."""

    name: str
    message: str
    start: int
    end: int
    severity: Severity
    confidence: Confidence
    fix: Fix | None
    id: str
    chain: tuple[Place, ...] = ()

    def finding(self, source: Source) -> Finding:
        """The same with lines and columns."""
        line, column, end_line, end_column, cell = source.between(self.start, self.end)
        return Finding(
            self.name,
            self.message,
            source.path,
            line,
            column,
            end_line,
            end_column,
            self.severity,
            self.confidence,
            self.chain,
            self.fix,
            registry.rules()[self.name].url,
            self.id,
            cell,
        )
