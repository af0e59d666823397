"""Findings about settings: four checks that differ in a name, a severity and an advice."""

from __future__ import annotations

from gotcha_lint.finding import Severity
from gotcha_sanitizer.values.events import Setting
from gotcha_sanitizer.values.finding import Finding


def setting_finding(event: Setting, severity: Severity, advice: str) -> Finding:
    return Finding(
        name=event.gotcha,
        message=event.problem,
        site=event.site,
        advice=advice,
        function=event.site.function if event.site else "",
        severity=severity,
        evidence={"setting": event.name},
        key=(event.name,),
    )
