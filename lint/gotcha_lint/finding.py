"""What the linter reports: one shape for text, JSON, SARIF and the sanitizer alike.

Lines and columns are 1-based; columns count code points; ends are exclusive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a file that helps to understand a finding: one link of its reason chain."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces `text[start:end]` of a decoded source (code point offsets) by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A rewrite that removes the finding. `safe` means that no correct program changes meaning."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class SeenRunning:
    """What a run of the sanitizer adds to a finding; `predicted` by a rule, or seen there only."""

    seconds: float  # lost to it
    count: int
    causes: tuple[str, ...]  # as `recompile/shape`
    predicted: bool


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity = "warning"
    confidence: Confidence = "high"
    chain: tuple[Place, ...] = ()
    fix: Fix | None = None
    url: str = ""
    id: str = ""
    cell: int | None = None  # 1-based code cell of a notebook; lines then count within the cell
    run: SeenRunning | None = None

    @property
    def order(self) -> tuple[str, int, int, int, str, str]:
        return self.path, self.cell or 0, self.line, self.column, self.name, self.message


def stable_id(rule: str, statement: str, enclosing: str, repeat: int = 0) -> str:
    """An identity that survives line shifts: the rule, the statement's text, the enclosing name.

    `repeat` tells equal statements of one function apart.
    """
    words = " ".join(statement.split())
    text = f"{rule}\0{enclosing}\0{words}\0{repeat}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def as_dict(finding: Finding) -> dict[str, Any]:
    """The finding as plain JSON data: every key, whether empty or not; `run` only with a run."""
    place = {
        key: getattr(finding, key)
        for key in ("name", "message", "path", "line", "column", "end_line", "end_column", "cell")
    }
    seen = {"run": asdict(finding.run)} if finding.run else {}
    return place | {
        "severity": finding.severity,
        "confidence": finding.confidence,
        "chain": [_place_dict(place) for place in finding.chain],
        "fix": _fix_dict(finding.fix),
        "url": finding.url,
        "id": finding.id,
        **seen,
    }


def from_dict(data: Mapping[str, Any]) -> Finding:
    """The inverse of `as_dict`, without the run. Raises KeyError or TypeError for other data."""
    fix = data["fix"]
    edits = fix and tuple(Edit(**edit) for edit in fix["edits"])
    return Finding(
        **{
            **data,
            "chain": tuple(Place(**place) for place in data["chain"]),
            "fix": fix and Fix(fix["title"], edits, fix["safe"]),
        }
    )


def _place_dict(place: Place) -> dict[str, Any]:
    return {slot: getattr(place, slot) for slot in Place.__slots__}


def _fix_dict(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [{"start": e.start, "end": e.end, "text": e.text} for e in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}
