"""Writes docs/gotchas/ from rules, checks, errors and what was measured; `--check` only compares.

The picture of the sanitizer's events, in a page that is written by hand, is made here too.

Needs neither JAX nor LibCST: what a run showed is in docs/measured/ (`make measure`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from pages import events, index, symptoms
from pages.catalogue import gotchas
from pages.page import page

PAGES = Path(__file__).parent / "gotchas"
WITH_EVENTS = Path(__file__).parent / "how-the-sanitizer-works.md"


def wanted() -> dict[Path, str]:
    """Every file that should be there, with its text."""
    texts = {f"{name}.md": page(gotcha) for name, gotcha in gotchas().items()}
    texts |= {"README.md": index.page(), "symptoms.md": symptoms.page()}
    made = {PAGES / name: text for name, text in texts.items()}
    return made | {WITH_EVENTS: events.put_into(WITH_EVENTS.read_text("utf-8"))}


def stale() -> dict[Path, str | None]:
    """The files to write, with their text, and those to remove, with None."""
    files = wanted()
    changed: dict[Path, str | None] = {
        path: text
        for path, text in files.items()
        if not path.exists() or path.read_text("utf-8") != text
    }
    return changed | {path: None for path in PAGES.glob("*.md") if path not in files}


def main() -> int:
    pages = stale()
    check = "--check" in sys.argv
    PAGES.mkdir(exist_ok=True)
    for path, text in pages.items():
        print(f"out of date: {path.name}" + ("; run `make docs`" if check else ""))
        if not check:
            path.unlink() if text is None else path.write_text(text, "utf-8")
    return int(bool(pages) and check)


if __name__ == "__main__":
    sys.exit(main())
