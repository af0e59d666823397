"""What the public functions and classes of the libraries take, as Python says (`signatures.txt`).

`benchmarks/signatures.py` writes the table; a test compares it with the libraries.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

LIBRARIES: set[str] = set()
DATA = Path(__file__).with_name("signatures.txt")


@cache
def _rows() -> tuple[dict[str, str], dict[str, list[str]]]:
    first, *lines = DATA.read_text(encoding="utf-8").splitlines()
    releases = dict(one.split(maxsplit=1) for one in first.lstrip("# ").split(", "))
    words = (line.split() for line in lines)
    return releases, {name: rest for name, *rest in words}


def release_of(name: str) -> str:
    """The library and the releases that take the same: `jax 0.10.2 to 0.12.0`."""
    library = name.partition(".")[0]
    return f"{library} {_rows()[0][library]}"


def words_of(name: str) -> list[str] | None:
    """The parameters of a function or class, by its full name; None where it is not known."""
    return _rows()[1].get(name)
