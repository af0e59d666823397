"""For people: the source, the reason chain, what to do, and where to read more.

A link of a chain takes one line, with its source behind it where that fits. What several findings
share is shown once: the advice of a rule, the source of a link that stands in several chains, and
the command that prints the page of a rule, which is the last line.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gotcha_lint.finding import Finding, Place
from gotcha_lint.formats import Shown, kind, where
from gotcha_lint.formats._excerpt import Span, excerpt, shortened
from gotcha_lint.home import more
from gotcha_lint.output.advice import advice, first_sentences
from gotcha_lint.output.paint import SEVERITY_COLOURS, cells, one_line, paint

_INDENT = "  "
_HANGING = "    "
_BELOW = "      "  # before the source of a link that does not fit beside it
_HELP = 160  # characters of advice; the page has all of it
_LEAST = 20  # columns of text behind a head; where fewer are left, it begins in the next line


def render(report: Shown) -> str:
    said: set[tuple[str, str]] = set()
    blocks = ("\n".join(_block(report, finding, said)) for finding in report.findings)
    return "".join(block + "\n\n" for block in blocks) + _more(report.findings)


def _more(findings: Sequence[Finding]) -> str:
    """The command for the pages of the rules that have no address yet."""
    names = list(dict.fromkeys(finding.name for finding in findings if not finding.url))
    if not names:
        return ""
    if len(names) == 1:
        return f"more: {more(names[0])}\n"
    return f"more: {more('NAME')}, for example {names[0]}\n"


def _block(report: Shown, finding: Finding, said: set[tuple[str, str]]) -> Iterator[str]:
    place = where(one_line(finding.path), finding.line, finding.column, finding.cell)
    head = f"{paint(place, 'bold', report.colour)}: {kind(report, finding)}"
    plain = f"{place}: {finding.severity}[{finding.name}]"
    yield from _wrapped(report, head, plain, finding.message)
    yield from _source(report, finding, style=SEVERITY_COLOURS[finding.severity])
    for link in finding.chain:
        yield from _because(report, link, said)
    help = first_sentences(advice(finding, report.rule(finding.name)), _HELP)
    for label, text in (("help", help), ("more", finding.url)):
        if text and (finding.name, text) not in said:
            said.add((finding.name, text))
            yield from _note(report, label, text)


def _because(report: Shown, link: Place, said: set[tuple[str, str]]) -> list[str]:
    place = f"{one_line(link.path)}:{link.line}"
    if link.cell is not None:
        place = f"{one_line(link.path)}:cell {link.cell}:{link.line}"
    head, plain = f"  {_label(report, 'because')} {place}", f"  = because: {place}"
    lines = list(_wrapped(report, head, plain, link.message))
    key = (place, f"{link.column} {link.end_line} {link.end_column}")
    source = _line(report, link)
    if not source or key in said:
        return lines
    said.add(key)
    beside = len(plain) + len(one_line(link.message)) + _width(source) + 3
    if len(lines) == 1 and beside <= report.source_width:
        return [f"{lines[0]}: {paint(source, 'blue', report.colour)}"]
    below = shortened(source, report.source_width - len(_BELOW))
    return [*lines, _BELOW + paint(below, "blue", report.colour)]


def _line(report: Shown, at: Place) -> str:
    """The source line of a link, without what is around it; empty when it is not at hand."""
    source = report.source(at.path)
    lines = source.lines(at.cell) if source else ()
    text = lines[at.line - 1] if 1 <= at.line <= len(lines) else ""
    return "".join(shown for shown, _ in cells(text.strip()))


def _width(text: str) -> int:
    return sum(width for _, width in cells(text))


def _source(report: Shown, at: Finding, *, style: str) -> list[str]:
    source = report.source(at.path)
    if source is None:
        return []
    lines = excerpt(
        source.lines(at.cell),
        Span(at.line, at.column, at.end_line, at.end_column),
        width=report.source_width - len(_INDENT),
        colour=report.colour,
        style=style,
    )
    return [_INDENT + line for line in lines]


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
