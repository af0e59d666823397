"""Numbers and places as people read them."""

from __future__ import annotations

import os
import re

from gotcha_lint.output.paint import one_line
from gotcha_sanitizer.values.parts import Site

cells: dict[str, int] = {}  # of a notebook: the file name that Python sees -> its number


def seconds(value: float) -> str:
    """`0.8 ms`, `41 ms`, `3.2 s`, `4 min 10 s`."""
    if value < 0.001:
        return f"{value * 1e3:.1f} ms"
    if value < 0.9995:
        return f"{value * 1e3:.0f} ms"
    if value < 100:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def size(value: float) -> str:
    """`512 B`, `16 KiB`, `1.5 GiB`."""
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if value >= 100 or unit == "B" else f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} GiB"


def itemsize(dtype: str) -> int:
    """Bytes of one element, by the name of its type; 1 where the name has no number."""
    bits = re.search(r"(\d+)", dtype)
    return max(int(bits[1]) // 8, 1) if bits else 1


def place(site: Site | None) -> str:
    """`train.py:41`, short enough for a line; relative to where the program runs."""
    if site is None:
        return "unknown place"
    comma = ", line " if site.path in cells else ":"
    return one_line(f"{short(site.path)}{comma}{site.line}")


def short(path: str) -> str:
    """The path from the working directory, or its last three parts."""
    if path in cells:
        return f"cell {cells[path]}"
    if not os.path.isabs(path):
        return path
    try:
        below = os.path.relpath(path)
    except (ValueError, OSError):  # another drive; the working directory is gone
        below = path
    if not below.startswith(os.pardir):
        return below
    parts = path.split(os.sep)
    return path if len(parts) <= 4 else os.path.join("...", *parts[-3:])


def package(path: str) -> str:
    """The name of the package that a file of a library belongs to."""
    parts = path.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts[:-1]:
            return parts[parts.index(folder) + 1].removesuffix(".py")
    return parts[-2] if len(parts) > 1 else path


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def listed(words: list[str]) -> str:
    """One, two and three."""
    return " and ".join(", ".join(part) for part in (words[:-1], words[-1:]) if part)
