"""The diagnostic format of reviewdog. Its columns count bytes of UTF-8."""

from __future__ import annotations

import json
from typing import Any

from gotcha_lint.finding import Edit, Finding, Place
from gotcha_lint.formats import Shown, relative
from gotcha_lint.home import HOME

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def render(report: Shown) -> str:
    diagnostics = [_diagnostic(report, finding) for finding in report.findings]
    source = {"name": "gotcha-lint"} | ({"url": HOME} if HOME else {})
    return json.dumps({"source": source, "diagnostics": diagnostics}, indent=2) + "\n"


def _diagnostic(report: Shown, finding: Finding) -> dict[str, Any]:
    code = {"value": finding.name} | ({"url": finding.url} if finding.url else {})
    cell = f"cell {finding.cell}: " if finding.cell is not None else ""
    diagnostic: dict[str, Any] = {
        "message": cell + finding.message,
        "location": _location(report, finding),
        "severity": _SEVERITIES[finding.severity],
        "code": code,
    }
    if suggestions := _suggestions(report, finding):
        diagnostic["suggestions"] = suggestions
    if finding.chain:
        related = [{"message": p.message, "location": _location(report, p)} for p in finding.chain]
        diagnostic["related_locations"] = related
    return diagnostic


def _location(report: Shown, at: Finding | Place) -> dict[str, Any]:
    location: dict[str, Any] = {"path": relative(at.path, report.root)}
    if at.cell is None:  # lines of a cell mean nothing in the notebook's JSON
        start = _position(report, at.path, at.line, at.column)
        end = _position(report, at.path, at.end_line, at.end_column)
        location["range"] = {"start": start, "end": end}
    return location


def _suggestions(report: Shown, finding: Finding) -> list[dict[str, Any]]:
    source = report.source(finding.path)
    if finding.fix is None or source is None or finding.cell is not None:
        return []
    return [_suggestion(report, finding.path, edit) for edit in finding.fix.edits]


def _suggestion(report: Shown, path: str, edit: Edit) -> dict[str, Any]:
    source = report.source(path)
    assert source is not None
    start, end = source.position(edit.start), source.position(edit.end)
    span = {
        "start": _position(report, path, start[0], start[1]),
        "end": _position(report, path, end[0], end[1]),
    }
    return {"range": span, "text": edit.text}


def _position(report: Shown, path: str, line: int, column: int) -> dict[str, int]:
    source = report.source(path)
    lines = source.lines() if source is not None else ()
    before = lines[line - 1][: column - 1] if line <= len(lines) else "." * (column - 1)
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
