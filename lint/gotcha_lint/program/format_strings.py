"""Finds string literals and the replacement fields in them, as Python 3.14 reads them.

Floor `program`; needed only for texts that the parser of this interpreter rejects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_CODE = re.compile(
    r"#[^\r\n]*|(?P<prefix>(?<!\w)[fFtTrRbBuU]{1,2})?(?P<quote>\"\"\"|'''|\"|')"
    r"|[()\[\]{}]|[!=<>]=|[!:]"
)
_LITERAL = {
    quote: re.compile(
        rf"\{{\{{|\}}\}}|[{{}}]|\\N\{{[\w -]*\}}|\\(?:\r\n|[^{{}}])|{quote}{end}", re.DOTALL
    )
    for quote, end in (('"""', ""), ("'''", ""), ('"', r"|[\r\n]"), ("'", r"|[\r\n]"))
}
_SPECIFICATION = {quote: re.compile(rf"[{{}}]|{quote}") for quote in _LITERAL}
_CONVERSION = re.compile(r"![ \t]*\w*\s*")
_DEBUG = re.compile(r"(?<![=!<>])=(?:\s|#[^\r\n]*+)*+\Z")
_GAP = re.compile(r"(?:[ \t\f]|\\(?:\r\n?|\n))*")
_GAP_IN_BRACKETS = re.compile(r"(?:\s|\\(?:\r\n?|\n)|#[^\r\n]*+)*+")


class Unclosed(Exception):
    """A literal or a replacement field without an end: the text is no Python."""


@dataclass(slots=True)
class String:
    """A literal: offsets of its prefix and behind its last quote."""

    start: int
    end: int
    in_brackets: bool
    has_fields: bool  # an f-string or t-string
    fields: list[Field] = field(default_factory=list)


@dataclass(slots=True)
class Field:
    """A replacement field: offsets of its expression, and the strings in that."""

    start: int
    stop: int
    strings: list[String]
    nested: list[Field]  # the fields of its format specification


def strings(text: str, position: int = 0, in_field: bool = False) -> tuple[list[String], int]:
    """The literals of a code that starts at `position`, and where the code ends.

    Raises `Unclosed`.
    """
    out: list[String] = []
    depth = 0
    while True:
        found = _CODE.search(text, position)
        if found is None:
            return out, len(text)
        token, position = found[0], found.end()
        if found["quote"]:
            string = _string(text, found, in_field or depth > 0)
            out.append(string)
            position = string.end
        elif token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            if in_field and depth == 0:
                return out, found.start()
            depth = max(depth - 1, 0)
        elif in_field and depth == 0 and token in ("!", ":"):
            return out, found.start()


def groups(found: list[String], text: str) -> list[list[String]]:
    """The literals, those together that Python joins because nothing stands between them."""
    out: list[list[String]] = []
    for string in found:
        gap = _GAP_IN_BRACKETS if string.in_brackets else _GAP
        if out and gap.fullmatch(text, out[-1][-1].end, string.start):
            out[-1].append(string)
        else:
            out.append([string])
    return out


def _string(text: str, opening: re.Match[str], in_brackets: bool) -> String:
    has_fields = not set("fFtT").isdisjoint(opening["prefix"] or "")
    string = String(opening.start(), len(text), in_brackets, has_fields)
    string.end = _literal(text, opening.end(), opening["quote"], string.fields, has_fields)
    return string


def _literal(text: str, position: int, quote: str, fields: list[Field], has_fields: bool) -> int:
    """The end of a literal whose first quote ends at `position`."""
    pattern = _LITERAL[quote]
    while (found := pattern.search(text, position)) is not None:
        token, position = found[0], found.end()
        if token == quote:
            return position
        if token in ("\r", "\n"):
            raise Unclosed
        if token == "{" and has_fields:
            position = _field(text, position, quote, fields)
    raise Unclosed


def _field(text: str, start: int, quote: str, fields: list[Field]) -> int:
    """Adds the field whose expression starts at `start`; returns the offset behind its brace."""
    inside, stop = strings(text, start, in_field=True)
    new = Field(start, stop, inside, [])
    fields.append(new)
    debug = _DEBUG.search(text, inside[-1].end if inside else start, stop)
    position = stop
    if debug is not None:
        new.stop = debug.start()
    conversion = _CONVERSION.match(text, position)
    if conversion is not None:
        position = conversion.end()
    if text[position : position + 1] == ":":
        pattern = _SPECIFICATION[quote]
        while (found := pattern.search(text, position)) is not None and found[0] == "{":
            position = _field(text, found.end(), quote, new.nested)
        position = len(text) if found is None else found.start()
    if text[position : position + 1] != "}":
        raise Unclosed
    return position + 1
