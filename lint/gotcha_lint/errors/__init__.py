"""Explains a pasted traceback: which known pitfall it is, which argument is at fault, the cure."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from gotcha_lint.errors import libraries, states, tracing, values
from gotcha_lint.errors.known import Known
from gotcha_lint.formats._terminal import one_line, paint
from gotcha_lint.registry import PAGES

# As the releases of jax 0.10 word them; the more particular message stands first.
TABLE: tuple[Known, ...] = (*tracing.ROWS, *values.ROWS, *states.ROWS, *libraries.ROWS)

_FRAME = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+), in (?P<name>\S+)', re.M)
_TRACED = re.compile(r"tracing the function (?P<name>\S+) at (?P<place>\S+:\d+) for (?P<how>\w+)")
_DEPENDS = re.compile(r"depends on the values? of the arguments? (?P<names>[^\n]+?)\.?\s*$", re.M)
_HEADLINE = re.compile(
    r"^(?:[\w]+\.)*(?P<kind>[A-Z]\w*(?:Error|Exception|Reuse)|Exception): ", re.M
)
_FOREIGN = re.compile(r"[\\/](?:site-packages|dist-packages|lib[\\/]python3[^\\/]*)[\\/]|^<")


@dataclass(frozen=True)
class Meaning:
    """What a traceback says."""

    error: str
    known: Known
    means: str
    fix: str
    argument: str
    function: str
    place: str


def recognise(text: str) -> Meaning | None:
    """The first row of the table that fits the last error of the text, else any of its errors."""
    text = text.replace("\r\n", "\n")
    for part in (_last_error(text), text):
        for known in TABLE:
            if found := known.pattern.search(part):
                return _meaning(text, part, known, found)
    return None


def _last_error(text: str) -> str:
    """From the last line that names an exception: the errors before it led to it."""
    heads = list(_HEADLINE.finditer(text))
    return text[heads[-1].start() :] if heads else text


def _meaning(text: str, part: str, known: Known, found: re.Match[str]) -> Meaning:
    groups = _groups(found)
    depends = _DEPENDS.search(part)
    traced = _TRACED.search(part)
    head = _HEADLINE.search(part)
    argument = depends["names"] if depends else groups.get("argument", "")
    return Meaning(
        error=head["kind"] if head else "",
        known=known,
        means=_filled(known.means, groups),
        fix=_filled(known.fix, groups),
        argument=argument,
        function=f"{traced['name']} at {traced['place']} ({traced['how']})" if traced else "",
        place=_own_frame(text),
    )


def _groups(found: re.Match[str]) -> dict[str, str]:
    """`call2` is another place where the pattern can find `call`."""
    groups: dict[str, str] = {}
    for name, value in found.groupdict().items():
        if value is not None:
            groups.setdefault(name.rstrip("23"), value)
    return groups


def _filled(template: str, groups: Mapping[str, str]) -> str:
    return template.format_map(defaultdict(lambda: "?", groups))


def _own_frame(text: str) -> str:
    """The deepest frame that is not a library's: where the user has to look."""
    frames = [m for m in _FRAME.finditer(text) if not _FOREIGN.search(m["path"])]
    return f"{frames[-1]['path']}:{frames[-1]['line']} in {frames[-1]['name']}" if frames else ""


def as_text(meaning: Meaning, *, width: int, colour: bool) -> str:
    """The meaning for a reader; the name is that of the gotcha that fits best, rule or no rule."""
    name = meaning.known.names[0]
    rows = [
        ("means", meaning.means),
        ("argument", meaning.argument),
        ("traced", meaning.function),
        ("look at", meaning.place),
        ("fix", meaning.fix),
        ("page", f"{PAGES}/{name}.md"),
        ("more", f"gotcha-lint --explain {name}"),
    ]
    head = ": ".join(word for word in (meaning.error, name) if word)
    lines = [paint(one_line(head), "bold", colour)]
    for label, text in rows:
        if text:
            lines += _row(label, one_line(text), width, colour)
    return "\n".join(lines) + "\n"


def _row(label: str, text: str, width: int, colour: bool) -> list[str]:
    first, *rest = textwrap.wrap(
        text, max(width - 12, 40), break_long_words=False, break_on_hyphens=False
    )
    return [f"  {paint(f'{label:<8}', 'cyan', colour)}  {first}", *(" " * 12 + x for x in rest)]
