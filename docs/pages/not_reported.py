"""The section "Not reported" as a short list: one item for each case that its text names."""

from __future__ import annotations

import re
import textwrap

_CODE = re.compile(r"`[^`]*`|\([^()]*\)")  # no end of an item is looked for in these
_END = re.compile(r"; |\. (?=[A-Z\0])")
_GOES_ON = ("It ", "They ", "There ", "Then ", "So ", "This ", "That ", "These ", "What ", "A few ")
_WIDTH = 92


def items(text: str) -> str:
    """The text as a Markdown list; a text that has a list or code of its own stays as it is."""
    if re.search(r"^\s*([-*|]|```)", text, re.MULTILINE):
        return text
    listed = [item for paragraph in text.split("\n\n") for item in _cases(paragraph)]
    return "\n".join(_item(case) for case in listed)


def _cases(paragraph: str) -> list[str]:
    """Sentences, and parts of a sentence between semicolons."""
    words = " ".join(paragraph.split())
    plain = _CODE.sub(lambda found: "\0" * len(found[0]), words)
    ends = [found.end() for found in _END.finditer(plain)]
    parts = [words[a:b] for a, b in zip([0, *ends], [*ends, len(words)], strict=True)]
    cases: list[str] = []
    for part in (part.strip().rstrip(";.") for part in parts):
        if cases and part.startswith(_GOES_ON):
            cases[-1] += f". {part}"
        elif part:
            cases.append(part)
    return cases


def _item(case: str) -> str:
    case = case.removeprefix("and ")
    start = case[:1].upper() + case[1:]
    return textwrap.fill(
        f"{start}.",
        _WIDTH,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
