"""Releases of JAX, Flax and Optax, and what a table says of a name that one of them lost."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

LIBRARIES: set[str] = set()

Release = tuple[int, ...]
# What is taken for the release that code is for, where `target-...` does not say.
NEWEST: dict[str, Release] = {"jax": (0, 10), "flax": (0, 12, 8), "optax": (0, 2, 8)}


class Removed(NamedTuple):
    instead: str = ""  # in words, or the new qualified name
    rename: bool = False  # `instead` takes the same arguments and means the same
    since: Release = ()  # the first release without the name; of the deprecated: that warns
    library: str = "jax"

    @property
    def by(self) -> str:
        """`jax 0.6`."""
        return f"{self.library} {'.'.join(map(str, self.since))}"


class Table(NamedTuple):
    """A table of text, written from the libraries: what each of their names has, as words."""

    releases: Mapping[str, str]  # of each library, in words
    rows: Mapping[str, list[str]]  # by full name

    def release_of(self, name: str) -> str:
        """The library of a name and the releases that the table is of: `jax 0.10.2 to 0.12.0`."""
        library = name.partition(".")[0]
        return f"{library} {self.releases[library]}"


@cache
def read_table(path: Path) -> Table:
    """The first line names the releases: `# jax 0.10.2 to 0.12.0, flax 0.12.8`."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    releases = dict(one.split(maxsplit=1) for one in first.lstrip("# ").split(", "))
    words = (line.split() for line in lines)
    return Table(releases, {name: rest for name, *rest in words})
