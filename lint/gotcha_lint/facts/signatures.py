"""What the public functions and classes of the libraries take, as Python says (`signatures.txt`).

`benchmarks/signatures.py` writes the table; a test compares it with the libraries.
"""

from __future__ import annotations

from pathlib import Path

from gotcha_lint.facts.releases import read_table

LIBRARIES: set[str] = set()
DATA = Path(__file__).with_name("signatures.txt")


def release_of(name: str) -> str:
    """The library and the releases that take the same: `jax 0.10.2 to 0.12.0`."""
    return read_table(DATA).release_of(name)


def words_of(name: str) -> list[str] | None:
    """The parameters of a function or class, by its full name; None where it is not known."""
    return read_table(DATA).rows.get(name)
