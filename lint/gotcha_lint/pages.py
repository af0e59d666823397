"""The pages of docs/gotchas/, as they travel in the package."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
# In an installed package; in a clone or an editable install.
FOLDERS = (_HERE / "pages", _HERE.parents[1] / "docs" / "gotchas")

INDEXES = {"README", "symptoms"}  # by name, by what one sees


def page(name: str) -> str | None:
    """The page of a gotcha, in Markdown; those that only a run shows have one too."""
    file = path(name)
    return file.read_text("utf-8") if file else None


def path(name: str) -> Path | None:
    """The file of that page."""
    files = (folder / f"{name}.md" for folder in FOLDERS)
    return next((f for f in files if name.replace("-", "").isalnum() and f.is_file()), None)


def names() -> frozenset[str]:
    """The gotchas that have a page."""
    found = (path.stem for folder in FOLDERS if folder.is_dir() for path in folder.glob("*.md"))
    return frozenset(found) - INDEXES
