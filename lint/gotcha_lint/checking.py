"""Runs rules over analysed functions. A rule that raises loses its findings, and nothing else."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Mapping

from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.rule import Report, Rule

Reported = tuple[Rule, Body, Place | None, Report]


def run_rules(
    bodies: Iterable[Body], rules: Mapping[type, list[Rule]]
) -> tuple[list[Reported], dict[str, str]]:
    """What the rules report, and the errors of those that raised, by name."""
    reports: list[Reported] = []
    broken: dict[str, str] = {}

    def run(rule: Rule, body: Body, place: Place | None) -> None:
        try:
            for report in rule.check(body if place is None else place):
                reports.append((rule, body, place, report))
        except RecursionError:  # no fault of the rule: the file is reported as too deep
            raise
        except Exception:
            broken.setdefault(rule.name(), last_line())

    for body in bodies:
        for site in body.sites:
            for rule in rules.get(site.__class__, ()):
                run(rule, body, site)
        for rule in rules.get(Body, ()):
            run(rule, body, None)
    return [one for one in reports if one[0].name() not in broken], broken


def last_line() -> str:
    """The error being handled, in one line with its place."""
    error = sys.exc_info()[1]
    frame = traceback.extract_tb(error.__traceback__)[-1] if error else None
    where = f" ({frame.filename.rpartition('/')[2]}:{frame.lineno})" if frame else ""
    return f"{type(error).__name__}: {error}{where}"
