"""Workflow commands: GitHub Actions shows them beside the changed lines.

File, line and name are properties, which it shows itself: the text does not repeat them.
"""

from __future__ import annotations

from gotcha_lint.finding import Finding
from gotcha_lint.formats import Shown, relative
from gotcha_lint.output.paint import one_line

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Shown) -> str:
    return "".join(_command(finding, report.root) + "\n" for finding in report.findings)


def _command(finding: Finding, root: str) -> str:
    fields = {"title": finding.name, "file": relative(finding.path, root), **_span(finding)}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
    cell = f"cell {finding.cell}, line {finding.line}: " if finding.cell is not None else ""
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(cell + finding.message)}"


def _span(finding: Finding) -> dict[str, int]:
    if finding.cell is not None:  # lines of a cell mean nothing in the notebook's JSON
        return {"line": 1}
    if finding.line != finding.end_line:  # columns are only read when the span is one line
        return {"line": finding.line, "endLine": finding.end_line}
    span = {"line": finding.line, "endLine": finding.end_line}
    return span | {"col": finding.column, "endColumn": finding.end_column}


def _data(text: str) -> str:
    return one_line(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
