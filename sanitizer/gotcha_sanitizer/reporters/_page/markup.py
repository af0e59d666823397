"""HTML that is escaped by construction: only `tag` makes markup, and all other text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from gotcha_lint.output.paint import one_line

_VOID = {"meta"}  # elements of SVG may all be closed


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: object) -> Markup:
    """The value as the reader is to see it: no tags, no characters that move or turn the text."""
    if isinstance(value, Markup):
        return value
    plain = str(value).encode("utf-8", "replace").decode()  # a file name need not be UTF-8
    return Markup(escape(one_line(plain)))


def join(parts: Iterable[object]) -> Markup:
    return Markup("".join(text(part) for part in parts))


def prose(value: str) -> Markup:
    """A message: what stands between backquotes is code."""
    parts = value.split("`")
    if len(parts) % 2 == 0:  # one without a partner
        return text(value)
    return join(tag("code", part) if i % 2 else part for i, part in enumerate(parts))


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element. `aria_label` is written `aria-label`; None and False are left out."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-") if key != "viewBox" else key
    return f" {name}" if value is True else f' {name}="{text(value)}"'
