"""The collectives in the text of a compiled program: kind, bytes and the Python line of each.

XLA writes the line either into the metadata of an operation (`source_file`, `source_line`), or as
the number of a stack frame, with tables of frames, locations and files before the computations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gotcha_sanitizer.values.parts import Site

KINDS = (
    "all-gather",
    "all-reduce",
    "reduce-scatter",
    "all-to-all",
    "collective-permute",
    "collective-broadcast",
    "ragged-all-to-all",
)
_OPERATION = re.compile(rf"= (?P<type>\(.*?\)|\S+) (?P<kind>{'|'.join(KINDS)})(?P<start>-start)?\(")
_ARRAY = re.compile(r"\b(pred|[a-z]+\d+\w*)\[([\d,]*)\]")
_BITS = re.compile(r"\d+")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
_ROW = re.compile(r"^(\d+) (.*)$")
_PAIR = re.compile(r"(\w+)=(\d+)")


class Collective(NamedTuple):
    """`bytes` is the size of its result on one device; `operation` is JAX's name for its origin."""

    kind: str
    bytes: int
    site: Site | None
    operation: str


def collectives(text: str, is_users: Callable[[str], bool]) -> list[Collective]:
    """In the order of the text. `is_users` says whether a file is the user's."""
    frames = _Frames.read(text)
    found: list[Collective] = []
    for line in text.splitlines():
        match = _OPERATION.search(line)
        if match is None:
            continue
        arrays = _ARRAY.findall(match["type"])
        if match["start"] and len(arrays) > 1:  # (what it is given, what it gives)
            arrays = arrays[len(arrays) // 2 :]
        size = sum(map(_bytes, arrays))
        found.append(Collective(match["kind"], size, _site(line, frames, is_users), _name(line)))
    return found


def _bytes(array: tuple[str, str]) -> int:
    kind, shape = array
    bits = _BITS.search(kind)
    count = math.prod(int(extent) for extent in shape.split(",") if extent)
    return -(-count * (int(bits[0]) if bits else 8) // 8)


def _name(line: str) -> str:
    found = re.search(r'op_name="([^"]*)"', line)
    return found[1] if found else ""


def _site(line: str, frames: _Frames, is_users: Callable[[str], bool]) -> Site | None:
    direct = re.search(r'source_file="([^"]*)"(?:.*?source_line=(\d+))?', line)
    if direct and direct[2]:
        return Site(direct[1], int(direct[2]))
    number = re.search(r"stack_frame_id=(\d+)", line)
    sites = list(frames.of(int(number[1]))) if number else []
    return next((site for site in sites if is_users(site.path)), sites[0] if sites else None)


@dataclass
class _Frames:
    """The tables at the head of the text, by their numbers."""

    tables: dict[str, dict[int, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> _Frames:
        made, table = cls(), ""
        for line in text.splitlines():
            if line in _TABLES:
                table = line
            elif not line.strip():
                continue
            elif table and (row := _ROW.match(line)):
                made.tables.setdefault(table, {})[int(row[1])] = row[2]
            elif table:
                break  # the first computation
        return made

    def of(self, number: int) -> Iterator[Site]:
        """Innermost first. A parent is written one higher than its number; 1 is none."""
        seen: set[int] = set()
        while number in self.tables.get("StackFrames", {}) and number not in seen:
            seen.add(number)
            frame = _numbers(self.tables["StackFrames"][number])
            place = _numbers(self._text("FileLocations", frame.get("file_location_id", 0)))
            path = self._text("FileNames", place.get("file_name_id", 0)).strip('"')
            name = self._text("FunctionNames", place.get("function_name_id", 0)).strip('"')
            if path:
                yield Site(path, place.get("line", 0), name)
            number = frame.get("parent_frame_id", 0) - 1

    def _text(self, table: str, number: int) -> str:
        return self.tables.get(table, {}).get(number, "")


def _numbers(text: str) -> Mapping[str, int]:
    return {name: int(value) for name, value in _PAIR.findall(text)}
