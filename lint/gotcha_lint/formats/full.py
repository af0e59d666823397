"""For people: the source excerpt, the reason chain, what to do, and the page."""

from __future__ import annotations

import textwrap

from gotcha_lint.finding import Finding, Place
from gotcha_lint.formats import Shown, where
from gotcha_lint.formats._advice import advice
from gotcha_lint.formats._excerpt import Span, excerpt
from gotcha_lint.formats._terminal import SEVERITY_COLOURS, one_line, paint


def render(report: Shown) -> str:
    return "".join("\n".join(_block(report, finding)) + "\n\n" for finding in report.findings)


def _block(report: Shown, finding: Finding) -> list[str]:
    style = SEVERITY_COLOURS[finding.severity]
    place = where(one_line(finding.path), finding.line, finding.column, finding.cell)
    kind = paint(f"{finding.severity}[{finding.name}]", style, report.colour)
    lines = [f"{paint(place, 'bold', report.colour)}: {kind} {one_line(finding.message)}"]
    lines += _source(report, finding, style=style)
    for link in finding.chain:
        lines += _because(report, link)
    if text := advice(report, finding):
        lines += _note(report, "help", text)
    if finding.url:
        lines += [f"  {_label(report, 'page')} {finding.url}"]
    return lines


def _because(report: Shown, link: Place) -> list[str]:
    place = f"{one_line(link.path)}:{link.line}"
    if link.cell is not None:
        place = f"{one_line(link.path)}:cell {link.cell}:{link.line}"
    lines = [f"  {_label(report, 'because')} {place} {one_line(link.message)}"]
    return lines + _source(report, link, style="blue", indent="    ", context=False)


def _source(
    report: Shown, at: Finding | Place, *, style: str, indent: str = "  ", context: bool = True
) -> list[str]:
    source = report.source(at.path)
    if source is None:
        return []
    lines = excerpt(
        source.lines(at.cell),
        Span(at.line, at.column, at.end_line, at.end_column),
        width=report.width - len(indent),
        colour=report.colour,
        style=style,
        context=context,
    )
    return [indent + line for line in lines]


def _note(report: Shown, label: str, text: str) -> list[str]:
    room = max(report.width - len(label) - 6, 40)
    first, *rest = textwrap.wrap(one_line(text), room) or [""]
    indent = " " * (len(label) + 6)
    return [f"  {_label(report, label)} {first}", *(indent + line for line in rest)]


def _label(report: Shown, label: str) -> str:
    return paint("=", "dim", report.colour) + " " + paint(f"{label}:", "cyan", report.colour)
