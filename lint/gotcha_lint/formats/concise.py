"""One line a finding, for grep and for editors that read `path:line:column`."""

from __future__ import annotations

from gotcha_lint.finding import Finding
from gotcha_lint.formats import Shown, kind, where
from gotcha_lint.output.paint import one_line, paint


def render(report: Shown) -> str:
    return "".join(_line(report, finding) + "\n" for finding in report.findings)


def _line(report: Shown, finding: Finding) -> str:
    place = where(one_line(finding.path), finding.line, finding.column, finding.cell)
    head = f"{paint(place, 'bold', report.colour)}: {kind(report, finding)}"
    return f"{head} {one_line(finding.message)}"
