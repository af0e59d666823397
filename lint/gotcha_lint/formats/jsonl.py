"""One JSON object a line, the same objects as `json`."""

from __future__ import annotations

import json

from gotcha_lint.finding import as_dict
from gotcha_lint.formats import Shown


def render(report: Shown) -> str:
    return "".join(json.dumps(as_dict(finding)) + "\n" for finding in report.findings)
