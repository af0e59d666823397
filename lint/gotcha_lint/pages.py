"""The pages of docs/gotchas/, as they travel in the package."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
# In an installed package; in a clone or an editable install.
FOLDERS = (_HERE / "pages", _HERE.parents[1] / "docs" / "gotchas")

INDEXES = {"README", "symptoms"}  # by name, by what one sees


def page(name: str) -> str | None:
    """The page of a gotcha, in Markdown; those that only a run shows have one too."""
    for folder in FOLDERS:
        file = folder / f"{name}.md"
        if name.replace("-", "").isalnum() and file.is_file():
            return file.read_text("utf-8")
    return None


def names() -> frozenset[str]:
    """The gotchas that have a page."""
    found = (path.stem for folder in FOLDERS if folder.is_dir() for path in folder.glob("*.md"))
    return frozenset(found) - INDEXES
