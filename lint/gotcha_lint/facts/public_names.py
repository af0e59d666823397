"""All public names of modules of the libraries, in any of the releases that the table names.

`benchmarks/public_names.py` writes the table; a test compares it with the libraries.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gotcha_lint.facts.releases import read_table

LIBRARIES: set[str] = set()
DATA = Path(__file__).with_name("public_names.txt")


@cache
def _names() -> dict[str, frozenset[str]]:
    return {module: frozenset(names) for module, names in read_table(DATA).rows.items()}


def releases_of(name: str) -> str:
    """The library and the releases that the table is of: `jax 0.10.2 to 0.12.0`."""
    return read_table(DATA).release_of(name)


def is_missing(module: str, name: str) -> bool:
    """Has no release such a name in this module? False for a module that is not in the table."""
    names = _names().get(module)
    return names is not None and name not in names and not name.startswith("_")


def first_missing(dotted: str) -> tuple[str, str] | None:
    """The first part of a dotted name that is missing, as its module and its name."""
    words = dotted.split(".")
    for count in range(1, len(words)):
        module, name = ".".join(words[:count]), words[count]
        if is_missing(module, name):
            return module, name
    return None
