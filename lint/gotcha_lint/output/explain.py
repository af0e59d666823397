"""A rule's explanation (Markdown) as readable text, and the list of rules."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping

from gotcha_lint.config.selection import RuleText
from gotcha_lint.output.paint import paint
from gotcha_lint.output.table_text import table

_LINK = re.compile(r"\[([^\]]+)\]\((\S+?)\)")
_ITEM = re.compile(r"(\s*)([-*]|\d+\.)\s+")
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*?)(?=[^\s*])(.+?)(?<=[^\s*])\1(?![\w*])")
_HEADING = re.compile(r"#{1,6}\s+")


def explain(rule: RuleText, *, width: int, colour: bool) -> str:
    """Everything known about one gotcha."""
    traits = [rule.family, rule.severity]
    traits += [] if rule.confidence == "high" else [f"{rule.confidence} confidence"]
    traits += ["has a fix"] if rule.fixable else []
    head = f"{paint(rule.name, 'bold', colour)} ({', '.join(traits)})"
    parts = [head, plain(rule.explanation, width=width, colour=colour)]
    for number, example in enumerate(rule.examples, 1):
        count = f" {number}" if len(rule.examples) > 1 else ""
        for kind in ("bad", "good"):
            if code := str(example.get(kind, "")).strip("\n"):
                title = paint(f"{kind.capitalize()} example{count}", "bold", colour)
                parts.append(f"{title}\n{textwrap.indent(code, '    ')}")
    parts.append(f"Allow it: # gotcha: allow[{rule.name}] reason")
    return "\n\n".join(parts) + "\n"


def plain(markdown: str, *, width: int, colour: bool = False) -> str:
    """Markdown for a terminal: headings alone on a line, code indented, paragraphs wrapped."""
    return "\n".join(_lines(markdown, width, colour)).strip("\n")


def _lines(markdown: str, width: int, colour: bool) -> Iterator[str]:
    paragraph: list[str] = []
    fence = ""
    for line in (*markdown.expandtabs(4).splitlines(), ""):
        mark = line.strip()[:3]
        opens = not fence and mark in ("```", "~~~")
        special = opens or not line.strip() or _HEADING.match(line) or _ITEM.match(line)
        if fence:
            fence = "" if mark == fence else fence
            if fence:
                yield f"    {line}".rstrip()
            continue
        if special:
            yield from _wrapped(paragraph, width)
            paragraph = []
        if opens:
            fence = mark
        elif _HEADING.match(line):
            yield paint(_HEADING.sub("", line).strip(), "bold", colour)
        elif not line.strip():
            yield ""
        else:
            paragraph.append(line)
    yield from _wrapped(paragraph, width)


def _wrapped(paragraph: list[str], width: int) -> list[str]:
    if not paragraph:
        return []
    if paragraph[0].startswith("|"):
        return table([_plain(line) for line in paragraph], width)
    item = _ITEM.match(paragraph[0])
    first = f"{item[1]}{item[2]} " if item else ""
    text = " ".join(line.strip() for line in paragraph)
    text = text[len(item[0].lstrip()) :] if item else text
    text = _plain(text)
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(text: str) -> str:
    """Without the marks of links and emphasis."""
    return _EMPHASIS.sub(r"\2", _LINK.sub(_link, text))


def _link(found: re.Match[str]) -> str:
    """The address after the words; another page's name is enough for `--explain`."""
    return found[1] if found[2].endswith(".md") else f"{found[1]} ({found[2]})"


def rule_table(rules: Mapping[str, RuleText], *, colour: bool) -> str:
    """One line a rule, family by family: name, severity, confidence, fix, summary."""
    ordered = sorted(rules.values(), key=lambda rule: (rule.family, rule.name))
    name_width = max((len(rule.name) for rule in ordered), default=0)
    lines: list[str] = []
    family = None
    for rule in ordered:
        if rule.family != family:
            family = rule.family
            lines += ["", paint(family, "bold", colour)]
        fix = "fix" if rule.fixable else ""
        columns = f"{rule.name:<{name_width}}  {rule.severity:<7}  {rule.confidence:<6}  {fix:<3}"
        lines.append(f"  {columns}  {rule.summary}")
    return "\n".join(line.rstrip() for line in lines[1:]) + "\n"


def rule_list(rules: Mapping[str, RuleText]) -> str:
    """The same as JSON."""
    keys = ("name", "family", "severity", "confidence", "fixable", "summary", "url")
    rows = [{key: getattr(rule, key) for key in keys} for rule in rules.values()]
    return json.dumps(rows, indent=2) + "\n"
