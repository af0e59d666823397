"""A GitLab Code Quality report."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

from gotcha_lint.finding import Finding, stable_id
from gotcha_lint.formats import Shown, relative

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(report: Shown) -> str:
    root = os.environ.get("CI_PROJECT_DIR") or report.root
    seen: Counter[str] = Counter()
    issues = [_issue(finding, root, seen) for finding in report.findings]
    return json.dumps(issues, indent=2) + "\n"


def _issue(finding: Finding, root: str, seen: Counter[str]) -> dict[str, Any]:
    # Below the project's directory, whatever directory the job was started in.
    path = os.path.abspath(finding.path) if os.environ.get("CI_PROJECT_DIR") else finding.path
    path = relative(path, root)
    cell = f"cell {finding.cell}: " if finding.cell is not None else ""
    lines = {"begin": finding.line, "end": finding.end_line}
    return {
        "check_name": finding.name,
        "description": f"{finding.name}: {cell}{finding.message}",
        "fingerprint": _fingerprint(finding, path, seen),
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": {"begin": 1} if cell else lines},
    }


def _fingerprint(finding: Finding, path: str, seen: Counter[str]) -> str:
    """Unique in the report, as GitLab asks, and the same when lines shift."""
    own = finding.id or finding.message
    key = stable_id(finding.name, own, path)
    seen[key] += 1
    return stable_id(finding.name, own, path, seen[key] - 1)
