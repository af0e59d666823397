"""What the sanitizer reports: the linter's shape, with what only a run knows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gotcha_lint import finding as lint
from gotcha_lint.home import page_url
from gotcha_sanitizer.values.parts import Site


@dataclass(frozen=True, slots=True)
class Finding:
    """A pitfall that happened. A check gives it again, with the same `id`, as it grows."""

    name: str
    message: str
    site: Site | None = None
    advice: str = ""
    function: str = ""
    cause: str = ""
    causes: tuple[str, ...] = ()
    count: int = 1
    seconds: float = 0.0  # lost to it so far
    severity: lint.Severity = "warning"
    confidence: lint.Confidence = "high"
    chain: tuple[tuple[Site, str], ...] = ()
    evidence: Mapping[str, object] = field(default_factory=dict)
    key: tuple[object, ...] = ()  # what, beside the name, makes it the same finding again
    recorded_id: str = ""  # of a finding that was read back

    @property
    def id(self) -> str:
        if self.recorded_id:
            return self.recorded_id
        place = self.key or (self.site, self.function, self.cause)
        text = repr((self.name, place))
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()

    @property
    def url(self) -> str:
        return page_url(self.name)


def as_lint(finding: Finding) -> lint.Finding:
    """For the linter's formats; a run knows lines, not columns, so a finding spans its line."""
    path, line, _ = finding.site or Site("<unknown>", 1)
    chain = tuple(
        lint.Place(site.path, site.line, 1, site.line + 1, 1, message)
        for site, message in finding.chain
    )
    return lint.Finding(
        name=finding.name,
        message=finding.message,
        path=path,
        line=line,
        column=1,
        end_line=line + 1,
        end_column=1,
        severity=finding.severity,
        confidence=finding.confidence,
        chain=chain,
        url=finding.url,
        id=finding.id,
    )


def as_dict(finding: Finding) -> dict[str, Any]:
    """The finding as plain JSON data: the linter's keys, then the run's."""
    return lint.as_dict(as_lint(finding)) | {
        "function": finding.function,
        "cause": finding.cause,
        "causes": list(finding.causes),
        "count": finding.count,
        "seconds": round(finding.seconds, 6),
        "advice": finding.advice,
        "evidence": dict(finding.evidence),
    }


def from_dict(data: Mapping[str, Any]) -> Finding:
    """A finding read back from JSON; keys that are not known are left out."""
    site = Site(data["path"], data["line"], data.get("function", ""))
    return Finding(
        name=data["name"],
        message=data["message"],
        site=None if site.path == "<unknown>" else site,
        advice=data.get("advice", ""),
        function=data.get("function", ""),
        cause=data.get("cause", ""),
        causes=tuple(data.get("causes", ())),
        count=data.get("count", 1),
        seconds=data.get("seconds", 0.0),
        severity=data.get("severity", "warning"),
        confidence=data.get("confidence", "high"),
        chain=tuple(
            (Site(place["path"], place["line"]), place["message"])
            for place in data.get("chain", ())
        ),
        evidence=data.get("evidence", {}),
        recorded_id=data.get("id", ""),
    )
