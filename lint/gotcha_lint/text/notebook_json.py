"""Finds the code cells in the JSON of a notebook, with the places where their sources stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from gotcha_lint.text.unreadable import Unreadable

_SPACE = re.compile(r"[ \t\n\r]*")
_WIDE_ESCAPE = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_DECODER = json.JSONDecoder()

Span = tuple[int, int]


class _Member(NamedTuple):
    value: Any  # plain JSON data
    span: Span


def code_cells(text: str) -> Iterator[tuple[str, Span, bool]]:
    """Source, its span in the JSON, and whether it is Python, of each code cell.

    Raises `Unreadable` where `text` is not a notebook of the format 4. A notebook for another
    language has no cells.
    """
    try:
        notebook, end = _members(text, _skip(text, 0))
        end = _skip(text, end)
        if end != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
        _check_format({key: member.value for key, member in notebook.items()})
        if _speaks_python(notebook.get("metadata")):
            yield from _sources(text, notebook["cells"])
    except json.JSONDecodeError as error:
        message = (
            f"is not a valid notebook: {error.msg}; open and save it in Jupyter, or exclude it"
        )
        raise Unreadable("syntax-error", message, error.lineno, error.colno) from None
    except RecursionError:
        message = "the JSON of the notebook is nested too deep; exclude it"
        raise Unreadable("too-deeply-nested", message) from None
    except ValueError as error:  # a number with thousands of digits
        raise Unreadable("syntax-error", f"is not a valid notebook: {error}; exclude it") from None


def rewrite(old: str, source: str, escapes: bool) -> str:
    """The JSON value `old`, a string or a list of lines, with `source` in it, in the same style."""
    if old[0] == '"':
        return _dump(source, escapes)
    items = _items(old)
    written = dict(_items_and_values(old, items))  # lines that stay are copied as they were written
    lines = [written.get(line) or _dump(line, escapes) for line in _lines(source)]
    if not items:
        return "[" + ", ".join(lines) + "]"
    (first, first_end), last_end = items[0], items[-1][1]
    separator = old[first_end : items[1][0]] if len(items) > 1 else "," + old[1:first]
    return old[:first] + separator.join(lines) + old[last_end:]


def uses_escapes(text: str) -> bool:
    """Whether the notebook was written with `\\u` escapes for what is not ASCII."""
    return text.isascii() and _WIDE_ESCAPE.search(text) is not None


def _check_format(notebook: dict[str, Any]) -> None:
    version = notebook.get("nbformat")
    if version != 4:
        what = "has no `nbformat`" if version is None else f"has the notebook format {version!r}"
        advice = "`jupyter nbconvert --to notebook --inplace` converts it"
        raise Unreadable("unreadable-file", f"{what}, and only format 4 can be read; {advice}")
    if not isinstance(notebook.get("cells"), list):
        message = "has no list of `cells`, so it is not a notebook; exclude it"
        raise Unreadable("unreadable-file", message)


def _speaks_python(metadata: _Member | None) -> bool:
    """Whether the notebook is for Python; one that does not say is."""
    found = metadata.value if metadata else None
    for section, key in (("kernelspec", "language"), ("language_info", "name")):
        part = found.get(section) if isinstance(found, dict) else None
        language = part.get(key) if isinstance(part, dict) else None
        if isinstance(language, str):
            return language.lower().startswith(("python", "ipython"))
    return True


def _is_python_cell(cell: dict[str, _Member]) -> bool:
    """False for a cell that VS Code marks as one in another language."""
    metadata = cell["metadata"].value if "metadata" in cell else None
    vscode = metadata.get("vscode") if isinstance(metadata, dict) else None
    language = vscode.get("languageId") if isinstance(vscode, dict) else None
    return language in (None, "python")


def _sources(text: str, cells: _Member) -> Iterator[tuple[str, Span, bool]]:
    position = _skip(text, cells.span[0] + 1)
    for number in range(1, len(cells.value) + 1):
        start = position
        if text[start] != "{":
            _refuse_cell(text, start, number, "is not an object")
        cell, position = _members(text, start)
        position = _skip(text, _skip(text, position) + 1)  # over the comma
        if "cell_type" not in cell:
            _refuse_cell(text, start, number, "has no `cell_type`")
        if cell["cell_type"].value != "code":
            continue
        source = cell["source"].value if "source" in cell else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            _refuse_cell(text, start, number, "has no `source` that is text or a list of lines")
        yield source, cell["source"].span, _is_python_cell(cell)


def _refuse_cell(text: str, position: int, number: int, what: str) -> NoReturn:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    message = f"cell {number} of the notebook {what}; open and save it in Jupyter, or exclude it"
    raise Unreadable("unreadable-file", message, line, column)


def _members(text: str, position: int) -> tuple[dict[str, _Member], int]:
    """The members of the object at `position`, and where it ends. The last of equal names holds."""
    found: dict[str, _Member] = {}
    if not text.startswith("{", position):
        raise json.JSONDecodeError("Expecting an object", text, position)
    position = _skip(text, position + 1)
    if text.startswith("}", position):
        return found, position + 1
    while True:
        if not text.startswith('"', position):
            raise json.JSONDecodeError("Expecting a name in double quotes", text, position)
        key, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        if not text.startswith(":", position):
            raise json.JSONDecodeError("Expecting ':'", text, position)
        start = _skip(text, position + 1)
        value, end = _DECODER.raw_decode(text, start)
        found[key] = _Member(value, (start, end))
        position = _skip(text, end)
        if text.startswith("}", position):
            return found, position + 1
        if not text.startswith(",", position):
            raise json.JSONDecodeError("Expecting ',' or '}'", text, position)
        position = _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _items(array: str) -> list[Span]:
    """Where the strings of a JSON array of strings stand."""
    items: list[Span] = []
    position = array.find('"')
    while position >= 0:
        _, end = _DECODER.raw_decode(array, position)
        items.append((position, end))
        position = array.find('"', end)
    return items


def _items_and_values(array: str, items: list[Span]) -> Iterator[tuple[str, str]]:
    for start, end in items:
        yield json.loads(array[start:end]), array[start:end]


def _lines(source: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", source)


def _dump(text: str, escapes: bool) -> str:
    # Half a surrogate pair can only be written as an escape.
    lone = re.search(r"[\ud800-\udfff]", text) is not None
    return json.dumps(text, ensure_ascii=escapes or lone)
