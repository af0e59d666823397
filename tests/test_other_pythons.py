"""`make test-all` runs the Pythons that are on a machine, and says which are not: with fakes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
_FAKE = """#!/bin/sh
echo "$0 $*" >> "$LOG"
case "$*" in *version_info*) echo 3.11;; esac
case "$*" in "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";; esac
"""
_HOOK = "#!/bin/sh\necho host-random-in-jit\nexit 1\n"


def program(path: Path, text: str = _FAKE) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the script needs of the repository, and nothing that takes long."""
    tree, home = tmp_path / "tree", tmp_path / "home"
    for name in ("other_pythons.sh", "find_python.sh"):
        (tree / "tests").mkdir(parents=True, exist_ok=True)
        shutil.copy(TESTS / name, tree / "tests")
    for version in ("311", "312", "313", "314"):
        (tree / "constraints").mkdir(exist_ok=True)
        (tree / "constraints" / f"py{version}.txt").touch()
        program(tree / f".venv-{version}" / "bin" / "python")
    program(tree / ".venv" / "bin" / "python")
    program(tree / ".venv" / "bin" / "pre-commit", _HOOK)
    program(tree / "examples" / "flawed" / "train.py", "")
    program(tmp_path / "bin" / "make")
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return tree


def last_lines(tree: Path) -> list[str]:
    done = subprocess.run(
        ["bash", "tests/other_pythons.sh"], cwd=tree, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-2:]


def found(version: str) -> str:
    script = ["bash", str(TESTS / "find_python.sh"), version]
    return subprocess.run(script, capture_output=True, text=True, check=True).stdout.strip()


def test_what_is_here_is_tested_and_what_is_not_is_named(tree: Path, tmp_path: Path):
    versions = tmp_path / "home" / ".pyenv" / "versions"
    program(versions / "3.12.1" / "bin" / "python")
    program(versions / "3.14.0t" / "bin" / "python")
    if found("3.13") or found("3.14"):
        pytest.skip("the system has newer Pythons in /usr/bin")
    assert last_lines(tree) == [
        "tested with Python 3.11 3.12 3.14t",
        "not on this machine, not tested: 3.13 3.14",
    ]
    log = (tmp_path / "log").read_text()
    assert ".venv-312/bin/python -m pytest" in log and ".venv-314t/bin/python -m pytest" in log
    assert ".venv-313/bin/python -m pytest" not in log


def test_where_all_are_here(tree: Path, tmp_path: Path):
    for version in ("3.12", "3.13", "3.14", "3.14t"):
        program(tmp_path / "bin" / f"python{version}")
    assert last_lines(tree) == [
        "tested with Python 3.11 3.12 3.13 3.14 (in part) 3.14t",
        "not on this machine, not tested: none",
    ]


@pytest.mark.parametrize(
    ("folder", "version"),
    [
        (".pyenv/versions/3.14.0", "3.14"),
        (".pyenv/versions/3.14.0t", "3.14t"),
        ("data/uv/python/cpython-3.14.2-linux-x86_64-gnu", "3.14"),
        ("data/uv/python/cpython-3.14.2+freethreaded-linux-x86_64-gnu", "3.14t"),
    ],
)
def test_a_build_without_the_lock_is_no_other(
    folder: str, version: str, tree: Path, tmp_path: Path
):
    python = tmp_path / "home" / folder / "bin" / "python"
    program(python)
    if found("3.14") in ("", str(python)):
        assert found(version) == str(python)
        assert found({"3.14": "3.14t", "3.14t": "3.14"}[version]) == ""
