"""One line a finding, for grep and for editors that read `path:line:column`."""

from __future__ import annotations

from gotcha_lint.finding import Finding
from gotcha_lint.formats import Shown, where
from gotcha_lint.formats._terminal import SEVERITY_COLOURS, one_line, paint


def render(report: Shown) -> str:
    return "".join(_line(finding, report.colour) + "\n" for finding in report.findings)


def _line(finding: Finding, colour: bool) -> str:
    place = where(one_line(finding.path), finding.line, finding.column, finding.cell)
    kind = f"{finding.severity}[{finding.name}]"
    kind = paint(kind, SEVERITY_COLOURS[finding.severity], colour)
    return f"{paint(place, 'bold', colour)}: {kind} {one_line(finding.message)}"
