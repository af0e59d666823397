"""With which versions a page is true."""

from __future__ import annotations

import re
from functools import cache

from measuring.programs import ROOT

from gotcha_lint.facts.removed import REMOVED
from pages import releases
from pages.catalogue import Gotcha
from pages.measured import Example


def section(gotcha: Gotcha, shown: tuple[Example, ...]) -> str:
    with_versions = [each.measured_with for each in shown if each.measured_with]
    parts = []
    if with_versions:
        names = {"jax": "jax", "flax": "flax", "optax": "optax", "python": "Python"}
        told = ", ".join(f"{names[name]} {version}" for name, version in _ordered(with_versions[0]))
        parts.append(f"Printed with {told}.")
    parts.append(releases.told(shown))
    if gotcha.check and shown:
        needs = max(each.pair.python for each in shown)
        # Two Pythons may have one release: each is named once.
        tested = dict.fromkeys(release for python, release in _tested() if python >= needs)
        parts.append(f"The sanitizer's report of it is tested with jax {', '.join(tested)}.")
    if gotcha.name == "removed-api":
        parts.append(_removed())
    return "\n\n".join(filter(None, parts))


@cache
def _tested() -> list[tuple[tuple[int, int], str]]:
    """The Pythons that the tests run with, each with its release of JAX."""
    found = []
    for path in sorted((ROOT / "constraints").glob("py3*.txt")):
        release = re.search(r"^jax==(\d+\.\d+)", path.read_text("utf-8"), re.M)
        if release:
            found.append(((3, int(path.stem.removeprefix("py3"))), release[1]))
    return found


def _ordered(versions: dict[str, str]) -> list[tuple[str, str]]:
    return sorted(versions.items(), key=lambda item: (item[0] == "python", item[0] != "jax", item))


def _removed() -> str:
    rows = ["| gone | not in | instead |", "| --- | --- | --- |"]
    for name, row in sorted(REMOVED.items()):
        rows.append(f"| `{name}` | {row.by} | {row.instead} |")
    return "\n".join(rows)
