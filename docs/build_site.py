"""Builds the site into site/; any warning is an error.

mkdocs.yml names the pages written by hand; the gotchas are those that lie in docs/gotchas/.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pages import filters
from pages.catalogue import gotchas

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / ".site.yml"  # at the root: the builder looks for docs/ below its configuration
OVERVIEWS = ("README.md", "symptoms.md")


def section() -> list[object]:
    """The pages of docs/gotchas/: the overviews, then a group for each family."""
    names = sorted(path.name for path in (ROOT / "docs" / "gotchas").glob("*.md"))
    families: dict[str, list[str]] = {}
    for name in names:
        if name not in OVERVIEWS:
            family = gotchas()[name.removesuffix(".md")].family
            families.setdefault(family.capitalize(), []).append(f"gotchas/{name}")
    first = [f"gotchas/{name}" for name in OVERVIEWS if name in names]
    return [*first, *({family: families[family]} for family in sorted(families))]


def main() -> int:
    # JSON is YAML; lists of the inherited file are continued.
    CONFIG.write_text(json.dumps({"INHERIT": "mkdocs.yml", "nav": [{"Gotchas": section()}]}))
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", CONFIG.name]
    code = subprocess.run(command, cwd=ROOT).returncode
    if code == 0:
        (ROOT / "site" / "filter-data.js").write_text(filters.script(), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
