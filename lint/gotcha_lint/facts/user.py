"""What users say of functions that the linter cannot read: `[tool.gotcha.facts]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gotcha_lint.facts import load

# Kinds of results; those of keys by a function that gives one, whatever it is given.
ARRAYS = {"array": "device", "host": "host"}  # and where they are
KEYS = {"key": "jax.random.key", "keys": "jax.random.split"}
KINDS = (*ARRAYS, *KEYS, "none", "tree", "static")  # of the last two no more is known


@dataclass(frozen=True, slots=True)
class UserFact:
    """One row; empty fields say nothing."""

    like: str = ""  # the function that it acts like
    returns: str = ""  # one of `KINDS`
    key: int | None = None  # position of the key that it consumes
    pickles: int | None = None  # position of the object that it serialises with pickle
    reads: bool = False  # it waits for its arguments and reads them on the host


def user_facts(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, UserFact]:
    """The rows of the settings, by the names that the tables use."""
    if not rows:
        return {}
    table = load()
    return {table.canonical(name): _fact(table.canonical, row) for name, row in rows.items()}


def _fact(canonical: Any, row: Mapping[str, Any]) -> UserFact:
    return UserFact(
        canonical(row["like"]) if "like" in row else "",
        row.get("returns", ""),
        row.get("consumes-key"),
        row.get("pickles"),
        row.get("host-read", False),
    )
