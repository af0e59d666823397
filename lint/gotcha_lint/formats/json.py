"""One JSON list of findings; `schemas/findings.json` describes it."""

from __future__ import annotations

import json

from gotcha_lint.finding import as_dict
from gotcha_lint.formats import Shown


def render(report: Shown) -> str:
    # ASCII only: a file name that is not UTF-8 stays readable, and any terminal can print it.
    return json.dumps([as_dict(finding) for finding in report.findings], indent=2) + "\n"
