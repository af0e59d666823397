"""The part that is meant to be read whole stays short."""

from __future__ import annotations

from tests.reference_trainer.support import ROOT

PACKAGE = ROOT / "reference_trainer"
FOLDERS = ("data", "model", "train")  # and what is at the top: config, parallel, precision, metrics
LINES, FILES = 2200, 25


def test_the_core_is_short():
    top = [path for path in PACKAGE.glob("*.py") if path.name != "__main__.py"]
    assert {path.name for path in top} == {
        "__init__.py", "config.py", "metrics.py", "parallel.py", "precision.py",
    }  # fmt: skip
    core = [*top, *(path for folder in FOLDERS for path in (PACKAGE / folder).glob("*.py"))]
    lines = {path.name: len(path.read_text().splitlines()) for path in core}
    assert len(core) <= FILES
    assert sum(lines.values()) <= LINES, lines


def test_the_core_needs_no_optional_part_to_be_imported():
    """What is in `extras/` is imported where it is used, and by nothing at the top of a file."""
    for folder in (PACKAGE, *(PACKAGE / name for name in FOLDERS)):
        for path in folder.glob("*.py"):
            lines = path.read_text().splitlines()
            assert not [line for line in lines if line.startswith("from reference_trainer.extras")]
