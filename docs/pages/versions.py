"""With which versions a page is true."""

from __future__ import annotations

from gotcha_lint.facts.removed import REMOVED
from pages.catalogue import Gotcha
from pages.measured import Example


def section(gotcha: Gotcha, shown: tuple[Example, ...]) -> str:
    with_versions = [each.measured_with for each in shown if each.measured_with]
    parts = []
    if with_versions:
        names = {"jax": "jax", "flax": "flax", "optax": "optax", "python": "Python"}
        told = ", ".join(f"{names[name]} {version}" for name, version in _ordered(with_versions[0]))
        parts.append(f"Printed with {told}.")
    if gotcha.name == "removed-api":
        parts.append(_removed())
    return "\n\n".join(parts)


def _ordered(versions: dict[str, str]) -> list[tuple[str, str]]:
    return sorted(versions.items(), key=lambda item: (item[0] == "python", item[0] != "jax", item))


def _removed() -> str:
    rows = ["| gone | not in | instead |", "| --- | --- | --- |"]
    for name, row in sorted(REMOVED.items()):
        since = f"jax {'.'.join(map(str, row.since))}" if row.since else row.was
        rows.append(f"| `{name}` | {since} | {row.instead} |")
    return "\n".join(rows)
