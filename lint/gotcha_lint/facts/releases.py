"""Releases of JAX, Flax and Optax, and what a table says of a name that one of them lost."""

from __future__ import annotations

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
