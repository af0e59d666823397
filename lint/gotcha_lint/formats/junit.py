"""JUnit XML: a test suite a file, a failed test case a finding."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from gotcha_lint import home
from gotcha_lint.finding import Finding
from gotcha_lint.formats import Shown, by_path, relative, where

# XML 1.0 has no way to write these, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Shown) -> str:
    suites = [_suite(relative(p, report.root), found) for p, found in by_path(report.findings)]
    total, failed = len(report.findings), sum(map(_fails, report.findings))
    suites = suites or ['  <testsuite name="gotcha-lint" tests="1" failures="0" errors="0">']
    if not report.findings:
        suites += ['    <testcase name="gotcha-lint" classname="gotcha-lint"/>', "  </testsuite>"]
    head = f'<testsuites name="gotcha-lint" tests="{max(total, 1)}" failures="{failed}" errors="0">'
    text = "\n".join(['<?xml version="1.0" encoding="utf-8"?>', head, *suites, "</testsuites>", ""])
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _fails(finding: Finding) -> bool:
    return finding.severity != "info"


def _suite(path: str, findings: list[Finding]) -> str:
    counts = f'tests="{len(findings)}" failures="{sum(map(_fails, findings))}" errors="0"'
    cases = "\n".join(_case(path, finding) for finding in findings)
    return f"  <testsuite name={_attribute(path)} {counts}>\n{cases}\n  </testsuite>"


def _case(path: str, finding: Finding) -> str:
    place = where(path, finding.line, finding.column, finding.cell)
    chain = [
        f"because: {where(p.path, p.line, p.column, p.cell)} {p.message}" for p in finding.chain
    ]
    more = finding.url or f"more: {home.more(finding.name)}"
    body = _text("\n".join([f"{place}: {finding.message}", *chain, more]).strip())
    name = _attribute(f"{finding.name} at {place}")
    head = f"    <testcase name={name} classname={_attribute(path)}"
    if finding.cell is None:
        head += f' file={_attribute(path)} line="{finding.line}"'
    if not _fails(finding):
        return f"{head}>\n      <system-out>{body}</system-out>\n    </testcase>"
    message = _attribute(finding.message)
    kind = f'type="{finding.severity}"'
    return f"{head}>\n      <failure {kind} message={message}>{body}</failure>\n    </testcase>"


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub(_visible, text))


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub(_visible, text))


def _visible(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
