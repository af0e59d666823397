"""The 25 patterns of the trainer: each has a test, which fails on the version that people write.

A file of `wrong/` turns right code into wrong code and names the test that must notice: it runs
on a copy, in a process of its own. That it passes on the right code is what the other files show.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint import pages
from tests.reference_trainer.support import PROGRAMS, ROOT

HERE = Path(__file__).parent
PACKAGES = ("reference_trainer", "benchmarks/trainer")
SOURCES = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
FILES = sorted(HERE.glob("wrong/*.toml"))
WRONG: dict[str, dict[str, Any]] = {
    file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in FILES
}
each_wrong = pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)


def test_every_pattern_has_a_wrong_version():
    assert {wrong["pattern"] for wrong in WRONG.values()} == set(range(1, 26))
    assert all(name.startswith(f"{wrong['pattern']:02d}_") for name, wrong in WRONG.items())


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_marks_name_a_page_and_say_why(file):
    for names, why in marks(file):
        assert names <= pages.names()
        assert why


@each_wrong
def test_the_right_place_is_marked(wrong):
    """A pattern that is a gotcha with a page is marked in a file that the wrong version changes."""
    if "gotcha" in wrong:
        files = {source(ROOT, change["file"]) for change in wrong["change"]}
        assert wrong["gotcha"] in {
            name for file in files for names, _ in marks(file) for name in names
        }


@pytest.mark.slow  # some twenty versions, each in a process of its own
@each_wrong
def test_the_wrong_version_fails_its_test(wrong, tmp_path):
    copy_with(wrong["change"], tmp_path)
    file, _, name = wrong["test"].partition("::")
    cases = run(f"tests/reference_trainer/{file}::{name}", tmp_path)
    assert {case.get("name", "").partition("[")[0] for case in cases} == {name}
    assert not [case for case in cases if case.find("error") is not None]
    failures = [failure.text or "" for case in cases for failure in case.findall("failure")]
    assert failures, f"{wrong['why']}: not noticed"
    assert all(wrong["says"] in failure for failure in failures), failures


def source(root: Path, file: str) -> Path:
    """A file of the trainer, or of its measurements by a path from the root."""
    return root / file if file.startswith("benchmarks/") else root / "reference_trainer" / file


def marks(file: Path) -> list[tuple[set[str], str]]:
    """The gotchas that the comments of a file say it shows, and why."""
    found = re.findall(r"# gotcha: shows\[(.*?)\](.*)", file.read_text(encoding="utf-8"))
    return [({name.strip() for name in names.split(",")}, why.strip()) for names, why in found]


def copy_with(changes: list[dict[str, str]], folder: Path) -> None:
    """The trainer, its measurements and tests, with the changes."""
    for package in (*PACKAGES, "tests/reference_trainer"):
        shutil.copytree(ROOT / package, folder / package)
    for name in ("pyproject.toml", "tests/__init__.py", "benchmarks/__init__.py"):
        shutil.copy(ROOT / name, folder / name)
    for change in changes:
        file = source(folder, change["file"])
        text = file.read_text(encoding="utf-8")
        assert text.count(change["old"]) == 1, f"{change['file']}: {change['old']}"
        file.write_text(text.replace(change["old"], change["new"]), encoding="utf-8")


def run(test: str, folder: Path) -> list[ET.Element]:
    """The test's cases, as pytest in `folder` reports them."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "--junitxml=result.xml"]
    env = os.environ | {"PYTHONPATH": str(folder), "JAX_COMPILATION_CACHE_DIR": str(PROGRAMS)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, test],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    return list(ET.parse(folder / "result.xml").iter("testcase"))
