"""Writes docs/gotchas/ from rules, checks, errors and what was measured; `--check` only compares.

Of pages that are written by hand, it makes the picture of the sanitizer's events, and the numbers
of gotchas and rules in README.md. It names the gotchas that no symptom and no reference leads to.

Needs neither JAX nor LibCST: what a run showed is in docs/measured/ (`make measure`).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pages import events, index, symptoms
from pages.catalogue import gotchas
from pages.page import page

from gotcha_lint.registry import rules

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "gotchas"
README = ROOT / "README.md"
WITH_EVENTS = ROOT / "docs" / "how-the-sanitizer-works.md"


def wanted() -> dict[Path, str]:
    """Every file that should be there, with its text."""
    texts = {f"{name}.md": page(gotcha) for name, gotcha in gotchas().items()}
    texts |= {"README.md": index.page(), "symptoms.md": symptoms.page()}
    made = {PAGES / name: text for name, text in texts.items()}
    made[WITH_EVENTS] = events.put_into(WITH_EVENTS.read_text("utf-8"))
    return made | {README: counted(README.read_text("utf-8"))}


def counted(text: str) -> str:
    """README.md with the numbers of gotchas and rules that there are."""
    text = re.sub(r"(?<=each of the )\d+(?= gotchas)", str(len(gotchas())), text)
    medium = sum(rule.confidence != "high" for rule in rules().values())
    return re.sub(r"\d+ of the \d+(?=\s+rules)", f"{medium} of the {len(rules())}", text)


def incomplete() -> list[str]:
    """What a person has to add for a gotcha: a symptom, and documentation to read on."""
    seen = set().union(*symptoms.symptoms().values())
    made = {name: page(gotcha) for name, gotcha in gotchas().items()}
    return [
        f"{name}: no symptom leads to it; add it to a row of docs/pages/symptoms.py"
        for name in made
        if name not in seen
    ] + [
        f"{name}: nothing to read on; add a section `## References` with an address to its text"
        for name, text in made.items()
        if "\n## References\n\n- [" not in text
    ]


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
        print(f"out of date: {path.relative_to(ROOT)}" + ("; run `make docs`" if check else ""))
        if not check:
            path.unlink() if text is None else path.write_text(text, "utf-8")
    missing = incomplete()
    print(*missing, sep="\n", end="\n" if missing else "")
    return int((bool(pages) and check) or bool(missing))


if __name__ == "__main__":
    sys.exit(main())
