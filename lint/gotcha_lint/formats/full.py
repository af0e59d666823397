"""For people: the source excerpt, the reason chain, what to do, and where to read more.

What several findings share is shown once: the advice of a rule, the command for its page, and the
source of a link that stands in several chains.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from gotcha_lint.finding import Finding, Place
from gotcha_lint.formats import Shown, kind, where
from gotcha_lint.formats._excerpt import Span, excerpt
from gotcha_lint.home import more
from gotcha_lint.output.advice import advice
from gotcha_lint.output.paint import SEVERITY_COLOURS, one_line, paint

_HANGING = "    "
_LEAST = 20  # columns of text behind a head; where fewer are left, it begins in the next line


def render(report: Shown) -> str:
    said: set[tuple[str, str]] = set()
    blocks = ("\n".join(_block(report, finding, said)) for finding in report.findings)
    return "".join(block + "\n\n" for block in blocks)


def _block(report: Shown, finding: Finding, said: set[tuple[str, str]]) -> Iterator[str]:
    place = where(one_line(finding.path), finding.line, finding.column, finding.cell)
    head = f"{paint(place, 'bold', report.colour)}: {kind(report, finding)}"
    plain = f"{place}: {finding.severity}[{finding.name}]"
    yield from _wrapped(report, head, plain, finding.message)
    yield from _source(report, finding, style=SEVERITY_COLOURS[finding.severity])
    for link in finding.chain:
        yield from _because(report, link, said)
    for label, text in (
        ("help", advice(finding, report.rule(finding.name))),
        ("more", finding.url or more(finding.name)),
    ):
        if text and (finding.name, text) not in said:
            said.add((finding.name, text))
            yield from _note(report, label, text)


def _because(report: Shown, link: Place, said: set[tuple[str, str]]) -> list[str]:
    place = f"{one_line(link.path)}:{link.line}"
    if link.cell is not None:
        place = f"{one_line(link.path)}:cell {link.cell}:{link.line}"
    head = f"  {_label(report, 'because')} {place}"
    lines = list(_wrapped(report, head, f"  = because: {place}", link.message))
    key = (place, f"{link.column} {link.end_line} {link.end_column}")
    if key in said:
        return lines
    said.add(key)
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
        width=report.source_width - len(indent),
        colour=report.colour,
        style=style,
        context=context,
    )
    return [indent + line for line in lines]


def _wrapped(report: Shown, head: str, plain: str, text: str) -> Iterator[str]:
    """The head and the text after it; on a terminal wrapped, with an indent below the head.

    `plain` is the head without colours and links, for its width. A pipe gets one line, for grep.
    """
    text = one_line(text)
    if not report.wrapped:
        yield f"{head} {text}"
        return
    width = report.source_width
    beside = len(plain) + _LEAST < width
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=" " * (len(plain) + 1) if beside else _HANGING,
        subsequent_indent=_HANGING,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if beside and lines:
        yield f"{head} {lines.pop(0).lstrip()}"
    else:
        yield head
    yield from lines


def _note(report: Shown, label: str, text: str) -> list[str]:
    room = max(report.width - len(label) - 6, 20)
    wrapped = textwrap.wrap(
        one_line(text), room, break_long_words=False, break_on_hyphens=False
    ) or [""]
    indent = " " * (len(label) + 6)
    first, *rest = wrapped
    return [f"  {_label(report, label)} {first}", *(indent + line for line in rest)]


def _label(report: Shown, label: str) -> str:
    return paint("=", "dim", report.colour) + " " + paint(f"{label}:", "cyan", report.colour)
