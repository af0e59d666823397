"""What to do about a finding, in plain words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gotcha_lint.config.selection import RuleText
    from gotcha_lint.finding import Finding

_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`])")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def section(explanation: str, title: str) -> str:
    """The text below `## title`, without the heading; empty when there is none."""
    found = re.search(rf"^##[ \t]+{re.escape(title)}[ \t]*$", explanation, re.MULTILINE)
    if found is None:
        return ""
    rest = explanation[found.end() :]
    end = re.search(r"^#{1,2} ", rest, re.MULTILINE)
    return (rest[: end.start()] if end else rest).strip()


def first_paragraph(text: str) -> str:
    """The first paragraph of prose on one line."""
    prose = _FENCE.sub("", text).strip()
    return " ".join(prose.split("\n\n", 1)[0].split())


def first_sentences(text: str, most: int) -> str:
    """The sentences that fit into `most` characters; the first one whole, however long it is."""
    first, *others = _SENTENCE_END.split(text)
    for sentence in others:
        if len(first) + 1 + len(sentence) > most:
            break
        first += " " + sentence
    return first


def advice(finding: Finding, rule: RuleText | None) -> str:
    """The title of the fix and how to apply it, else the first paragraph of "Instead"."""
    if finding.fix is None:
        return first_paragraph(section(rule.explanation, "Instead")) if rule else ""
    option = "--fix" if finding.fix.safe else "--fix --unsafe-fixes"
    return f"{finding.fix.title} ({option})"
